// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "results/record.h"
#include "results/run.h"
#include "tables/opcode_files.h"
#include "tables/opcode_numbers.h"
#include "tables/pair_files.h"
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
  bool static_is_lower_bound = false;  // something in the windows of `static` waits, and nothing branches
  std::size_t row = 0;
  std::vector<int> levels;
  bool leads = true;
  std::string_view line;
};

// A text with whatever it is a view into.
using JsonlText = std::shared_ptr<const std::string_view>;
JsonlText lines_of_owner(std::shared_ptr<const void> owner, std::string_view text);

// The code that rows refer to by number, as JSON text.
using SharedCode = std::unordered_map<int, std::string_view>;

// A table: what its folder has, or what was just measured. `read_table` (tables/folder.h) fills the parts that it is
// asked for. Columns are values and everything else is text, in a tenth of the time and space of full records.
struct Table {
  std::filesystem::path folder;     // that it was read from; empty if it was made
  results::Run run;                 // the newest
  std::vector<results::Run> runs;   // those that cells name, oldest first; empty if cells name none
  std::vector<Cell> rows;           // the files' rows, each at its highest level
  std::vector<Cell> cells;          // those of one row together, the leading one first
  std::vector<Spelling> spellings;  // empty in tables older than format 4
  JsonlText lines;                  // of latency.jsonl.zst: rows and cells are views into it. Null for a csv
  SharedCode code;                  // of their windows
  std::vector<results::Record> probes;
  std::vector<results::Run> probe_runs;
  std::vector<TableFact> facts;
  OpcodeNumbers opcodes;
  OpcodeFiles opcode_records;  // without the rows
  PairFiles pairs;
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
// The cells of a table's rows: a row is a cell at each of its levels, for each of the forms with its code; and there is
// a cell for each form without a row. Error{storage} if these are more than fit into memory.
std::vector<Cell> cells_of(std::vector<Cell> rows, const std::vector<Spelling>& spellings);
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

// latency.csv (tables/latency_columns.h).
void write_csv(std::ostream& out, const Table& table);

// For people: one row per ptx, operands and input, the levels side by side.
void write_text(std::ostream& out, const Table& table);
// The numbers of these forms, each under its own spelling, with the row that they come from, and their throughputs.
//   widest_name  for a screen: longer names are cut, and rows with numbers come first
inline constexpr auto whole_name = std::string::npos;
void write_forms_text(std::ostream& out, const Table& table, const RowThroughputs& throughputs,
                      const std::vector<std::string>& forms, std::size_t widest_name = whole_name);
// The same as csv, with the columns of a table, and then throughput, unit, saturates_at and pipe; each level has its
// own row.
void write_forms_csv(std::ostream& out, const Table& table, const RowThroughputs& throughputs,
                     const std::vector<std::string>& forms);
void write_markdown(std::ostream& out, const Table& table);

}  // namespace ptxlat::tables
