// SPDX-License-Identifier: Apache-2.0
#include "cli/tables.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/print_text.h"
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

WrittenTable write_latencies(const results::Store& store, results::Run run, const results::StoredRecords& latencies,
                             const TableOptions& options) {
  run.shard = results::shards_held(store.runs(run.table), run);
  const report::RecordSource records{
      latencies.size(), [&](std::size_t number, results::Code code) { return latencies.read(number, code); }};
  auto outline = report::outline_of(records);
  const auto code = options.has_headline_code ? report::Code::of_headline : report::Code::all;
  const auto scratch = std::filesystem::path(options.folder) / run.table;
  auto table = report::table_from(std::move(run), latencies.runs(), records, outline, code, scratch);
  report::write_table(options.folder, table,
                      options.is_brief ? report::TableDetail::columns_only : report::TableDetail::everything);
  return {std::move(table), std::move(outline)};
}

void warn_of_shards(const results::Run& written) {
  if (written.shard.empty()) return;
  say(stderr, "warning: {} contains only shard {} of its plan; `ptxlat merge` joins the stores of all shards\n",
      written.table, written.shard);
}

std::size_t failures_in(const std::vector<results::Record>& records) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [](const auto& record) { return !is_final(record); }));
}

void warn_of_failures(std::size_t cells) {
  if (cells > 0) say(stderr, "{} of these met a fault, a hang or a failed tool, and are made again next time\n", cells);
}

}  // namespace ptxlat::cli
