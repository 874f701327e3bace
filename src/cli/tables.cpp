// SPDX-License-Identifier: Apache-2.0
#include "cli/tables.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/print.h"
#include "results/shards.h"
#include "run/facts.h"
#include "tables/folder.h"

namespace ptxlat::cli {

void add_table_options(CLI::App& command, TableOptions& options) {
  add_tables(command, options.folder);
  add_replace(command, options.replaces);
  command.add_flag(
      "--brief", options.is_brief,
      "Write only latency.csv, forms.csv.gz and run.json, without the machine code, to keep many static tables.");
  command.add_flag("--headline-code", options.has_headline_code,
                   "Keep only the machine code behind each row's headline, for publishing.");
}

void require_kept(const results::Store& store, const std::string& table, const std::vector<results::CellKey>& planned,
                  const TableOptions& options) {
  if (options.replaces) return;
  const auto folder = std::filesystem::path(options.folder) / table;
  if (const auto loss = run::loss_of_latencies(folder, store, table, planned)) throw Error(*loss);
}

WrittenTable write_latencies(const results::Store& store, results::Run run, const results::StoredRecords& latencies,
                             const TableOptions& options) {
  require_kept(store, run.table, {}, options);
  run.shard = results::shards_held(store.runs(run.table), run);
  const tables::RecordSource records{
      latencies.size(), [&](std::size_t number, results::Code code) { return latencies.read(number, code); }};
  auto outline = tables::outline_of(records);
  const auto code = options.has_headline_code ? tables::Code::of_headline : tables::Code::all;
  auto table = tables::table_from(std::move(run), latencies.runs(), records, outline, code, options.folder);
  tables::write_table(options.folder, table,
                      options.is_brief ? tables::TableDetail::columns_only : tables::TableDetail::everything);
  return {std::move(table), std::move(outline)};
}

void warn_of_shards(const results::Run& written) {
  if (written.shard.empty()) return;
  say(stderr, "warning: {} contains only shard {} of its plan; `ptxlat merge` joins the stores of all shards\n",
      written.table, written.shard);
}

void warn_of_unreadable(const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders)
    say(stderr, "warning: {} cannot be read: tables in it are left out\n", folder.string());
}

std::size_t failures_in(const std::vector<results::Record>& records) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [](const auto& record) { return !is_final(record); }));
}

void warn_of_failures(std::size_t cells) {
  if (cells > 0) say(stderr, "{} of these met a fault, a hang or a failed tool, and are made again next time\n", cells);
}

}  // namespace ptxlat::cli
