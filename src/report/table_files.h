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

// Whether a table lies there: one that was written whole, or a csv alone.
bool has_table(const std::filesystem::path& folder);
// Whether all that there is of the table is its csv. Error{unknown_name} if there is no table.
bool has_csv_alone(const std::filesystem::path& folder);

// A table's provenance and the lines of its latency.jsonl.gz, known to belong together.
struct TableFiles {
  Provenance provenance;
  std::string lines;
};
// Error{storage} if they are damaged or of a later format.
TableFiles read_table_files(const std::filesystem::path& folder);

// What latency.csv alone gives: the columns, without windows and provenance.
Provenance provenance_of_csv(const std::filesystem::path& folder, const std::vector<CellRecord>& cells);
std::vector<CellRecord> read_csv_file(const std::filesystem::path& folder);

std::string jsonl_checksum(std::string_view lines);
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
