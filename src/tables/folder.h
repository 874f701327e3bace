// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/error.h"
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
// Whether it has the records of probes.
bool has_probes(const std::filesystem::path& folder);

// A part of a table's folder, and the members of Table that it fills. A part without a file stays empty.
enum class Part {
  run,             // run, runs: of run.json alone; a table with its rows is seconds to read
  rows,            // rows, spellings, lines, code, run, runs
  cells,           // cells instead of rows
  probes,          // probes, probe_runs
  facts,           // those of the probes, or of facts.csv, which names no card, if the folder has no records
  opcodes,         // opcodes.opcodes: opcodes.csv
  throughputs,     // opcodes.forms, opcodes.spellings
  contention,      // opcodes.contention
  opcode_records,  // opcode_records, with runs and spellings
  pairs,           // pairs.pairs, pairs.runs
  arrivals,        // pairs.arrivals
  hazards,         // pairs.hazards, pairs.runs
};

// Reads these parts of a table's folder; nothing else opens its files. Rows are those of latency.jsonl.zst, without it
// those of latency.csv, which has no windows; without a run.json the run is derived from them. A folder with only
// probes or opcodes gives a table without rows. Error{unknown_name} if rows or a run are asked for and there is no
// table, Error{storage} if a file is damaged, of another format, does not belong to the run, or has a cell twice.
Table read_table(const std::filesystem::path& folder, std::initializer_list<Part> parts = {Part::cells});
// The cells, or an empty table if the folder has no latencies.
Table read_latencies(const std::filesystem::path& folder);

// Error{storage} if a table of this name would not have a folder of its own below that for tables, or if it has a
// terminal's commands: a store may come from a stranger.
void require_name_of_table(const std::string& name);

// The files to write for a table: all, or if brief, latency.csv, forms.csv.gz and run.json, without any machine code.
// Anyone who has the assembler can make a static table again, so many of them are kept in brief.
enum class TableDetail { everything, columns_only };

// The table's contract (docs/table-format.md): latency.csv, forms.csv.gz, latency.md, latency.jsonl.zst and run.json in
// `folder`/run.table. Written to temporary names and renamed, so that a reader never sees half a table. Equal tables
// give equal bytes. A table that was read from a csv has no machine code and is written in brief. Error{storage} if it
// cannot be written; then the old table is kept.
void write_table(const std::filesystem::path& folder, const Table& table, TableDetail detail = TableDetail::everything);

// The checksum of a file with the rows, for run.json.
std::string checksum_of(std::string_view text);

// The text of a compressed file. Error{storage} if it is damaged.
std::string unpacked(const std::filesystem::path& file, const std::function<std::string(const std::string&)>& unpack);

Error damaged(const std::filesystem::path& file, const std::string& what);

}  // namespace ptxlat::tables
