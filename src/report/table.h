#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare_facts.h"
#include "report/shared_rows.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::report {

// A window as far as reports need it. Its machine code is JSON text, a list of instructions as docs/table-format.md
// spells them, parsed only where it is looked at (report/code_change.h): most of a table is code, and most of it is
// equal.
struct CellWindow {
  std::string_view role;
  sass::Verdict verdict = sass::Verdict::proven;
  bool static_is_lower_bound = false;
  std::string_view code;  // empty where no window was found
};

// One form at one level, with an operand and a class of inputs. A row of the files is as many cells as it has levels
// and spellings (report/shared_rows.h). A form that the target does not have is one cell at each level, of no row.
//   row     its number in the files
//   levels  of the row, ascending
//   leads   whether the row has this cell's spelling and level
//   line    JSON of all that is known of the row; empty where the table was read from a csv
struct Cell {
  results::Record record;  // without windows, series, facts and recipe
  std::vector<CellWindow> windows;
  bool static_is_lower_bound = false;  // something in the windows of `static` waits or branches
  std::size_t row = 0;
  std::vector<int> levels;
  bool leads = true;
  std::string_view line;
};

// A table as reports read it: the columns as values, everything else as text, in a tenth of the time and room of full
// records.
struct Table {
  results::Run run;                 // the newest
  std::vector<results::Run> runs;   // those that cells name, oldest first; empty where cells name none
  std::vector<Cell> cells;          // those of one row one after the other, the one that leads first
  std::vector<Spelling> spellings;  // empty in tables older than format 4
  std::vector<TableFact> facts;     // of the probes beside it: what read_facts gives, where a comparison wants them
  std::shared_ptr<const std::string> lines;  // of latency.jsonl.zst: the cells are views into it. Null for a csv
};

// Which windows' machine code a table has: of all, or, for publishing, of those that the headline was made of.
enum class Code { all, of_headline };

// Records of operands that are one experiment become one row (report/operands.h), one with two humps becomes two
// (report/humps.h), levels and spellings of the same machine code become one (report/shared_rows.h).
Table table_from(results::Run run, std::vector<results::Run> runs, const std::vector<results::Record>& records,
                 Code code = Code::all);
// A record as a row without windows and line, for a table that is not complete yet.
Cell cell_from(const results::Record& record);
// Whether the form is only listed as one that the target does not have: with whatever operand, and without a row.
bool is_listed_only(const Cell& cell);
// Everything that the table knows of the cells, windows with their machine code included: as many records as cells.
std::vector<results::Record> whole_records(const Table& table, const std::vector<const Cell*>& cells);

// Whether nothing of it was measured: its numbers are the assembler's schedule, in `static`.
bool is_static(const Table& table);
// The tag of the number that a cell of this table is there for: `cycles`, or `static` in a static table.
std::string_view headline(const Table& table);
// Whether any cell has it.
bool has_metric(const Table& table, std::string_view tag);

// Null if the cell has none.
const CellWindow* window_of_role(const Cell& cell, std::string_view role);
// The windows that a metric of the cell was made of.
std::vector<const CellWindow*> windows_of(const Cell& cell, std::string_view tag);

// What tells the cells of a table from each other, where their operands are no list (report/join.h): views into a
// record, since a table may have tens of thousands.
struct RowKey {
  std::string_view ptx, operand, input;
  int level = 0;

  bool operator==(const RowKey&) const = default;
};
RowKey row_key(const results::Record& record);
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const;
};

// What is written of a table: all files, or in brief latency.csv, forms.csv.gz and run.json, without any machine code.
// A static table can be made again by everyone who has the assembler, so that many of them are kept in brief.
enum class Extent { whole, brief };

// The table's contract (docs/table-format.md): latency.csv, forms.csv.gz, latency.md, latency.jsonl.zst and run.json in
// `folder`/run.table. Written to temporary names and renamed, so that a reader never sees half a table. Equal tables
// give equal bytes. A table that was read from a csv has no machine code and is written in brief. Error{storage} if it
// cannot be written; the old table is then still there.
void write_table(const std::filesystem::path& folder, const Table& table, Extent extent = Extent::whole);

// Reads a folder that write_table made (from latency.jsonl.zst, forms.csv.gz and run.json). A brief one, or a folder
// with a latency.csv alone, gives the columns without windows; without a run.json the run is what the rows tell. Probes
// alone give a table without cells. The facts are left empty. Error{unknown_name} if there is none, Error{storage} if
// it is damaged, of another format, or has a cell twice.
Table read_table(const std::filesystem::path& folder);

void write_csv(std::ostream& out, const Table& table);
// `name` is what an error calls it. Error{storage} with the line if it is damaged.
std::vector<TableRow> read_csv(std::istream& in, const std::string& name);

// forms.csv, and the same back. Error{storage} likewise.
void write_forms(std::ostream& out, const std::vector<Spelling>& spellings);
std::vector<Spelling> read_forms(std::istream& in, const std::string& name);

// For reading: one row per ptx, operands and input, the levels side by side.
void write_text(std::ostream& out, const Table& table);
// The numbers of these forms, each under its own spelling, and the row that each has them from.
void write_forms_text(std::ostream& out, const Table& table, const std::vector<std::string>& forms);
// The same as csv, with the columns of a table's; a level has a row of its own.
void write_forms_csv(std::ostream& out, const Table& table, const std::vector<std::string>& forms);
void write_markdown(std::ostream& out, const Table& table);

}  // namespace ptxlat::report
