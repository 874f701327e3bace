#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "error.h"
#include "results/record.h"

namespace ptxlat {

inline constexpr const char* csv_name = "latency.csv";
inline constexpr const char* markdown_name = "latency.md";
inline constexpr const char* jsonl_name = "latency.jsonl.gz";
inline constexpr const char* run_name = "run.json";
inline constexpr int highest_level = 4;  // O4

// Whether a table lies there: one that was written whole or in brief, or a csv alone.
bool has_table(const std::filesystem::path& folder);
// Whether its rows are to be read from latency.csv: a brief table, or nothing but the csv is there. Error{unknown_name}
// if there is no table.
bool is_in_csv(const std::filesystem::path& folder);

// A table's provenance and the lines of its latency.jsonl.gz, known to belong together.
struct TableFiles {
  Provenance provenance;
  std::string lines;
};
// Error{storage} if they are damaged, of a later format, or if latency.csv is not that of the run.
TableFiles read_table_files(const std::filesystem::path& folder);

// What latency.csv gives: the columns, without windows. Where there is no run.json, the provenance is what the rows and
// the folder tell.
struct CsvTable {
  Provenance provenance;
  std::vector<CellRecord> cells;
};
CsvTable read_csv_table(const std::filesystem::path& folder);

// Of a file that holds the rows, in run.json.
std::string checksum_of(std::string_view text);
// The lines of latency.jsonl.gz, uncompressed.
std::string jsonl_of(const std::vector<CellRecord>& cells);

// Calls read(line) for each line; what it throws becomes an Error{storage} with the file and the line's number.
template <typename Read>
void for_each_line(std::string_view lines, const std::filesystem::path& folder, Read read);

Error damaged(const std::filesystem::path& file, const std::string& what);

template <typename Read>
void for_each_line(std::string_view lines, const std::filesystem::path& folder, Read read) {
  int number = 1;
  for (std::size_t begin = 0; begin < lines.size(); ++number) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    try {
      read(lines.substr(begin, end - begin));
    } catch (const std::exception& error) {
      throw damaged(folder / jsonl_name, "line " + std::to_string(number) + ": " + error.what());
    }
    begin = end + 1;
  }
}

}  // namespace ptxlat
