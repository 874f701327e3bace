#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

#include "results/record.h"

namespace ptxlat {

// A table as it lies on disk or in a store.
struct Table {
  Provenance provenance;
  std::vector<CellRecord> cells;
};

// The table's contract (docs/table-format.md): latency.csv, latency.md, latency.jsonl.gz and run.json in
// `folder`/provenance.table. Written to temporary names and renamed, so that a reader never sees half a table.
void write_table(const std::filesystem::path& folder, const Table& table);

// Reads a folder that write_table made (from latency.jsonl.gz and run.json; the csv alone is enough for the columns).
// Error{unknown_name} if it is none, Error{storage} if it is damaged.
Table read_table(const std::filesystem::path& folder);

void write_csv(std::ostream& out, const std::vector<CellRecord>& cells);
// The same rows, for a terminal: aligned columns, only those worth reading there.
void write_text(std::ostream& out, const std::vector<CellRecord>& cells);

}  // namespace ptxlat
