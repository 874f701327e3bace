// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options.h"
#include "results/store.h"
#include "results/stored_records.h"
#include "tables/table.h"

namespace CLI {
class App;
}

namespace ptxlat::cli {

// Where and how tables are written: options that several subcommands share.
struct TableOptions {
  std::string folder = default_tables;
  bool replaces = false;  // also what the store does not have
  bool is_brief = false;
  bool has_headline_code = false;
};
void add_table_options(CLI::App& command, TableOptions& options);

// Error{storage} if the store's latencies would replace a larger table (run/facts.h), unless the user has said so.
//   planned  cells that the store will have
void require_kept(const results::Store& store, const std::string& table, const std::vector<results::CellKey>& planned,
                  const TableOptions& options);

// A table of the store that was written to its folder.
//   records  what it was made of
struct WrittenTable {
  tables::Table table;
  tables::TableOutline records;
};
// Error{storage} as require_kept. If runs of the store made shards of its plan and not all of it, the written run says
// which.
//   run        the newest
//   latencies  of its table
WrittenTable write_latencies(const results::Store& store, results::Run run, const results::StoredRecords& latencies,
                             const TableOptions& options);

// Warns on standard error if the table only contains shards of its plan.
void warn_of_shards(const results::Run& written);

// Names folders that could not be searched for tables.
void warn_of_unreadable(const std::vector<std::filesystem::path>& folders);

// How many of the records are not final (is_final).
std::size_t failures_in(const std::vector<results::Record>& records);

// Likewise if this many finished cells are not final.
void warn_of_failures(std::size_t cells);

}  // namespace ptxlat::cli
