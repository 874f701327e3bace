// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/table.h"
#include "results/store.h"

namespace CLI {
class App;
}

namespace ptxlat::cli {

// Where and how tables are written: options that several subcommands share.
struct TableOptions {
  std::string folder = "tables";
  bool is_brief = false;
  bool has_headline_code = false;
};
void add_table_options(CLI::App& command, TableOptions& options);

//   run      the newest
//   runs     those that the records name
struct Latencies {
  results::Run run;
  std::vector<results::Run> runs;
  std::vector<results::Record> records;
};

// Writes a table of the store to its folder. If runs of the store made shards of its plan and not all of it, the
// written run says which.
report::Table write_latencies(const results::Store& store, Latencies latencies, const TableOptions& options);

// Warns on standard error if the table only contains shards of its plan.
void warn_of_shards(const results::Run& written);

}  // namespace ptxlat::cli
