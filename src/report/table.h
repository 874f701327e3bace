#pragma once

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat {

// A table as it lies on disk or in a store.
struct Table {
  Provenance provenance;
  std::vector<CellRecord> cells;
};

// Whether nothing of it was measured: its numbers are the assembler's schedule, in `static_cycles`.
bool is_static(const Table& table);
// The number that a cell of this table is there for: `cycles`, or `static_cycles` in a static table.
std::optional<double> headline(const Table& table, const CellRecord& cell);

// What is written of a table: all four files, or in brief latency.csv and run.json, without any machine code. A static
// table can be made again by everyone who has the assembler, so that many of them are kept in brief.
enum class Extent { whole, brief };

// The table's contract (docs/table-format.md): latency.csv, latency.md, latency.jsonl.gz and run.json in
// `folder`/provenance.table. Written to temporary names and renamed, so that a reader never sees half a table. Equal
// tables give equal bytes. Error{storage} if it cannot be written; the old table is then still there.
void write_table(const std::filesystem::path& folder, const Table& table, Extent extent = Extent::whole);

// Reads a folder that write_table made (from latency.jsonl.gz and run.json). A brief one, or a folder with a
// latency.csv alone, gives the columns without windows; without a run.json the provenance is what the rows tell. Tables
// of format 1 are read too: they have no `issue`. Error{unknown_name} if it is none, Error{storage} if it is damaged.
Table read_table(const std::filesystem::path& folder);

void write_csv(std::ostream& out, const std::vector<CellRecord>& cells);
// `name` is what an error calls it. Error{storage} with the line if it is damaged.
std::vector<CellRecord> read_csv(std::istream& in, const std::string& name);

// For reading: one row per ptx, operand and input, the levels side by side.
void write_text(std::ostream& out, const Table& table);
void write_markdown(std::ostream& out, const Table& table);

}  // namespace ptxlat
