#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::report {

inline constexpr const char* csv_name = "latency.csv";
inline constexpr const char* markdown_name = "latency.md";
inline constexpr const char* jsonl_name = "latency.jsonl.gz";
inline constexpr const char* run_name = "run.json";
inline constexpr int highest_level = 4;  // O4

// Whether a table lies there: one that was written whole or in brief, a csv alone, or probes alone.
bool has_table(const std::filesystem::path& folder);
// Whether nothing but probes lie there: a table without rows.
bool has_only_probes(const std::filesystem::path& folder);
// Whether its rows are to be read from latency.csv: a brief table, or nothing but the csv is there. Error{unknown_name}
// if there is no table.
bool is_in_csv(const std::filesystem::path& folder);

// What the files of a table hold, known to belong together.
struct TableFiles {
  results::Run run;
  std::vector<results::Run> runs;
  std::optional<std::string> lines;  // of latency.jsonl.gz
  std::vector<results::Record>
      records;  // of latency.csv, where there is no latency.jsonl.gz: the columns, without windows
};
// Error{storage} if they are damaged, of another format, or if latency.csv is not that of the run. Where there is no
// run.json, the run is what the rows and the folder tell.
TableFiles read_table_files(const std::filesystem::path& folder);

// Of a file that holds the rows, in run.json.
std::string checksum_of(std::string_view text);

Error damaged(const std::filesystem::path& file, const std::string& what);

}  // namespace ptxlat::report
