// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compare/code_change.h"
#include "results/opcode.h"
#include "results/record.h"
#include "results/run.h"
#include "tables/opcode_numbers.h"
#include "tables/table_files.h"
#include "tables/table_lines.h"

namespace ptxlat::site {

// A window of a row whose machine code is known, for comparisons (compare/code_change.h).
//   behind  the numbers that it is behind: "headline", and those that are compared besides
struct WindowMark {
  std::string role;
  std::vector<std::string> behind;
  compare::CodeHash code;
};

// A row of a table.
//   line  its JSON in latency.jsonl.zst; empty if the table has only columns
struct SiteRow {
  results::Record record;  // without windows
  std::vector<int> levels;
  bool static_is_lower_bound = false;
  std::vector<WindowMark> windows = {};
  std::string_view line = {};
};

// Everything that a table's folder has.
//   id          the folder below tables/ that its run.json names: links to it are made of this
//   numbers     what `ptxlat opcodes` left there, and the rows of contention.csv
//   pairs       the rows of pairs.csv, with the runs that measured them
//   pipes       of the opcodes that have one
//   throughputs of the rows
struct SiteTable {
  std::string id;
  std::filesystem::path folder;
  results::Run run;
  std::vector<results::Run> runs;
  std::vector<SiteRow> rows;
  std::vector<tables::Spelling> spellings;
  std::vector<results::Record> probes;
  std::vector<results::Run> probe_runs;
  tables::OpcodeNumbers numbers;
  std::vector<tables::ContentionRow> contention;
  std::vector<results::Pair> pairs;
  std::vector<results::Run> pair_runs;
  tables::Pipes pipes;
  tables::RowThroughputs throughputs;
  std::string lines;        // `line` of the rows and `code` are views into it
  tables::SharedCode code;  // of windows, by number

  SiteTable() = default;
  SiteTable(const SiteTable&) = delete;  // the views
  SiteTable& operator=(const SiteTable&) = delete;

  bool is_static() const { return run.kind == "static"; }
};

// The tables below the named folders, measured ones first, then in natural order of their ids. Error{usage} if two have
// one id, because no link could tell them apart; further the errors of tables::find_tables and read_table_files.
//   unreadable  as in tables::find_tables; null if nobody asks
using SiteTables = std::vector<std::unique_ptr<SiteTable>>;
SiteTables read_tables(const std::vector<std::string>& names, std::vector<std::filesystem::path>* unreadable = nullptr);

// The table's title for a reader: "NVIDIA H200, driver-580.159.04", "sm_100a, ptxas-13.0.88, static".
std::string title_of(const SiteTable& table);

}  // namespace ptxlat::site
