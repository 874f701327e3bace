// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "results/record.h"
#include "results/run.h"
#include "tables/table.h"

namespace ptxlat::tables {

inline constexpr const char* csv_name = "latency.csv";
inline constexpr const char* markdown_name = "latency.md";
inline constexpr const char* forms_name = "forms.csv.gz";
inline constexpr const char* jsonl_name = "latency.jsonl.zst";
inline constexpr const char* packed_csv_name = "latency.csv.gz";  // if it was compressed
inline constexpr const char* run_name = "run.json";
inline constexpr const char* base_field = "jsonl_base";  // of run.json: the table that the rows refer to
inline constexpr int highest_level = 4;                  // O4

// Whether the folder has a table: a whole one, a brief one, only a csv, or only probes or opcodes.
bool has_table(const std::filesystem::path& folder);
// Whether the folder only has probes or opcodes: a table without rows.
bool has_only_experiments(const std::filesystem::path& folder);

// The contents of a table's files, checked to belong together.
struct TableFiles {
  results::Run run;
  std::vector<results::Run> runs;
  std::vector<Spelling> spellings;
  std::optional<std::string> lines;  // of latency.jsonl.zst
  std::vector<Cell> rows;            // of latency.csv, if the folder has no lines: the columns, without windows
};
// Error{storage} if they are damaged, of another format, or if latency.csv is not that of the run. Without a run.json,
// the run is derived from the rows and the folder.
TableFiles read_table_files(const std::filesystem::path& folder);

// The runs that made its cells, from run.json alone: a table is seconds to read. Error{storage} if that is damaged or
// missing.
std::vector<results::Run> runs_of_table(const std::filesystem::path& folder);

// Its newest run, from run.json alone likewise.
results::Run run_of_table(const std::filesystem::path& folder);

// The checksum of a file with the rows, for run.json.
std::string checksum_of(std::string_view text);

// The text of a compressed file. Error{storage} if it is damaged.
std::string unpacked(const std::filesystem::path& file, const std::function<std::string(const std::string&)>& unpack);

Error damaged(const std::filesystem::path& file, const std::string& what);

}  // namespace ptxlat::tables
