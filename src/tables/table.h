// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"
#include "results/run.h"
#include "tables/opcode_numbers.h"
#include "tables/probe_files.h"
#include "tables/shared_rows.h"

namespace ptxlat::tables {

// The parts of a window that reports need. Its machine code is JSON text, a list of instructions as in
// docs/table-format.md, parsed only when needed (compare/code_change.h): most of a table is code, and most of it is
// equal.
struct CellWindow {
  std::string_view role;
  sass::Verdict verdict = sass::Verdict::proven;
  bool static_is_lower_bound = false;
  std::string_view code;  // empty if no window was found
};

// One form at one level, with an operand and a class of inputs. A row of the files is as many cells as it has levels
// and spellings (tables/shared_rows.h). A form that the target does not support is one cell at each level, without a
// row.
//   row     its number in the files
//   levels  of the row, ascending
//   leads   whether the row has this cell's spelling and level
//   line    JSON with everything known about the row; empty if the table was read from a csv
struct Cell {
  results::Record record;  // without windows, series, facts and recipe
  std::vector<CellWindow> windows;
  bool static_is_lower_bound = false;  // something in the windows of `static` waits or branches
  std::size_t row = 0;
  std::vector<int> levels;
  bool leads = true;
  std::string_view line;
};

// A text with whatever it is a view into.
using JsonlText = std::shared_ptr<const std::string_view>;
JsonlText lines_of_owner(std::shared_ptr<const void> owner, std::string_view text);

// A table as reports read it: the columns as values, everything else as text, in a tenth of the time and space of full
// records.
struct Table {
  results::Run run;                 // the newest
  std::vector<results::Run> runs;   // those that cells name, oldest first; empty if cells name none
  std::vector<Cell> cells;          // those of one row together, the leading one first
  std::vector<Spelling> spellings;  // empty in tables older than format 4
  std::vector<TableFact> facts;     // of the probes in its folder: from read_facts, if a comparison needs them
  OpcodeNumbers opcodes;            // likewise, from read_opcode_numbers
  JsonlText lines;                  // of latency.jsonl.zst: the cells are views into it. Null for a csv
};

using results::Code;

// Records of operands that are one experiment become one row (tables/operands.h), a record with two humps becomes two
// (tables/operands.h), levels and spellings with the same machine code become one (tables/shared_rows.h). No more than
// some records are in memory at a time; the rows' text goes through files without names in `scratch`.
//   outline  of the same records
Table table_from(results::Run run, std::vector<results::Run> runs, const RecordSource& records,
                 const TableOutline& outline, Code code, const std::filesystem::path& scratch);
// The same for records that are in memory.
Table table_from(results::Run run, std::vector<results::Run> runs, const std::vector<results::Record>& records,
                 Code code = Code::all);
// A record as a row without windows and line, for a table that is not complete yet.
Cell cell_from(const results::Record& record);
// Whether the form is only listed because the target does not support it: with any operand, and without a row.
bool is_listed_only(const Cell& cell);
// Everything that the table has about the cells, including windows with their machine code: as many records as cells.
std::vector<results::Record> whole_records(const Table& table, const std::vector<const Cell*>& cells);

// Whether nothing was measured: its numbers are the assembler's schedule, in `static`.
bool is_static(const Table& table);
// The tag of the main number of this table's cells: `cycles`, or `static` in a static table.
std::string_view headline(const Table& table);
// Whether any cell has it.
bool has_metric(const Table& table, std::string_view tag);

// Null if the cell has none.
const CellWindow* window_of_role(const Cell& cell, std::string_view role);
// The windows behind a metric of the cell.
std::vector<const CellWindow*> windows_of(const Cell& cell, std::string_view tag);

// Distinguishes the cells of a table if their operands are not a list (tables/join.h): views into a record, since a
// table may have tens of thousands.
struct RowKey {
  std::string_view ptx, operand, input;
  int level = 0;

  bool operator==(const RowKey&) const = default;
};
RowKey row_key(const results::Record& record);
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const;
};

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

// Reads a folder that write_table made (from latency.jsonl.zst, forms.csv.gz and run.json). A brief one, or a folder
// without latency.jsonl.zst, gives the columns without windows; without a run.json the run is derived from the rows. A
// folder with only probes or opcodes gives a table without cells. Facts and opcodes are left empty. Error{unknown_name}
// if there is none, Error{storage} if it is damaged, of another format, or has a cell twice.
Table read_table(const std::filesystem::path& folder);

// The same, or an empty table if the folder has no latencies.
Table read_latencies(const std::filesystem::path& folder);

// latency.csv (tables/latency_columns.h).
void write_csv(std::ostream& out, const Table& table);

// For people: one row per ptx, operands and input, the levels side by side.
void write_text(std::ostream& out, const Table& table);
// The numbers of these forms, each under its own spelling, with the row that they come from, and their throughputs.
void write_forms_text(std::ostream& out, const Table& table, const RowThroughputs& throughputs,
                      const std::vector<std::string>& forms);
// The same as csv, with the columns of a table, and then throughput, unit, saturates_at and pipe; each level has its
// own row.
void write_forms_csv(std::ostream& out, const Table& table, const RowThroughputs& throughputs,
                     const std::vector<std::string>& forms);
void write_markdown(std::ostream& out, const Table& table);

}  // namespace ptxlat::tables
