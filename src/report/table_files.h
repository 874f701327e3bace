#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/shared_rows.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::report {

inline constexpr const char* csv_name = "latency.csv";
inline constexpr const char* markdown_name = "latency.md";
inline constexpr const char* forms_name = "forms.csv.gz";
inline constexpr const char* jsonl_name = "latency.jsonl.zst";
inline constexpr const char* old_jsonl_name = "latency.jsonl.gz";  // up to format 3
inline constexpr const char* packed_csv_name = "latency.csv.gz";   // where someone has compressed it
inline constexpr const char* run_name = "run.json";
inline constexpr int highest_level = 4;  // O4

// Whether a table lies there: one that was written whole or in brief, a csv alone, or probes alone.
bool has_table(const std::filesystem::path& folder);
// Whether nothing but probes lie there: a table without rows.
bool has_only_probes(const std::filesystem::path& folder);

// What the files of a table hold, known to belong together.
struct TableFiles {
  results::Run run;
  std::vector<results::Run> runs;
  std::vector<Spelling> spellings;
  std::optional<std::string> lines;  // of latency.jsonl.zst
  std::vector<TableRow> rows;        // of latency.csv, where there are no lines: the columns, without windows
};
// Error{storage} if they are damaged, of another format, or if latency.csv is not that of the run. Where there is no
// run.json, the run is what the rows and the folder tell.
TableFiles read_table_files(const std::filesystem::path& folder);

// Of a file that holds the rows, in run.json.
std::string checksum_of(std::string_view text);

Error damaged(const std::filesystem::path& file, const std::string& what);

}  // namespace ptxlat::report
