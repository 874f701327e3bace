// SPDX-License-Identifier: Apache-2.0
#include "cli/tables.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "results/shards.h"

namespace ptxlat::cli {

void add_table_options(CLI::App& command, TableOptions& options) {
  command.add_option("--tables", options.folder, "The folder under which the table is written. Default: tables.")
      ->type_name("FOLDER");
  command.add_flag(
      "--brief", options.is_brief,
      "Write only latency.csv, forms.csv.gz and run.json, without the machine code, to keep many static tables.");
  command.add_flag("--headline-code", options.has_headline_code,
                   "Keep only the machine code behind each row's headline, for publishing.");
}

report::Table write_latencies(const results::Store& store, Latencies latencies, const TableOptions& options) {
  auto& run = latencies.run;
  run.shard = results::shards_held(store.runs(run.table), run);
  const auto code = options.has_headline_code ? report::Code::of_headline : report::Code::all;
  auto table = report::table_from(run, std::move(latencies.runs), std::move(latencies.records), code);
  report::write_table(options.folder, table,
                      options.is_brief ? report::TableDetail::columns_only : report::TableDetail::everything);
  return table;
}

void warn_of_shards(const results::Run& written) {
  if (written.shard.empty()) return;
  fmt::print(stderr, "warning: {} contains only shard {} of its plan; `ptxlat merge` joins the stores of all shards\n",
             written.table, written.shard);
}

}  // namespace ptxlat::cli
