// SPDX-License-Identifier: Apache-2.0
#include "results/merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/tables.h"
#include "results/shards.h"
#include "results/stored_records.h"
#include "run/merge.h"
#include "tables/folder.h"

namespace ptxlat::cli {

namespace {

struct MergeOptions {
  std::vector<std::string> stores;
  std::string into;
  std::vector<std::string> catalogues;
  TableOptions tables;
};

std::string described(const results::Record& record) {
  const auto number = run::main_number(record);
  return number ? fmt::format("{}, {}", *number, to_string(record.verdict)) : to_string(record.verdict);
}

void print_conflicts(const std::vector<results::Conflict>& conflicts) {
  constexpr std::size_t most = 20;
  if (conflicts.empty()) return;
  say(stderr, "{} cells with results that contradict each other:\n", conflicts.size());
  for (std::size_t i = 0; i < std::min(conflicts.size(), most); ++i) {
    const auto& [table, kept, dropped] = conflicts[i];
    say(stderr, "  {}: {} {} {} O{}: kept {}; dropped {}\n", table, kept.ptx, kept.operand, kept.input, kept.level,
        described(kept), described(dropped));
  }
  if (conflicts.size() > most) say(stderr, "  … and {} more\n", conflicts.size() - most);
}

ptx::LoadedCatalogue catalogue_of(const MergeOptions& options) {
  Selection selection;
  selection.catalogues = options.catalogues;
  return load_catalogue_for(selection);
}

// The latencies, probes, pairs and opcodes of a table, as far as the store has them.
//   last  of its runs
void write_table(results::Store& store, const results::Run& last, const MergeOptions& options,
                 const std::function<const ptx::LoadedCatalogue&()>& catalogue) {
  const auto& table = last.table;
  tables::require_name_of_table(table);
  const auto folder = std::filesystem::path(options.tables.folder) / table;
  const results::StoredRecords latencies(store.file(), table, results::RecordKind::latency);
  if (latencies.size() > 0) {
    const auto runs = latencies.runs();
    const auto newest = std::max_element(runs.begin(), runs.end(), [](const auto& x, const auto& y) {
      return std::tie(x.started_utc, x.id) < std::tie(y.started_utc, y.id);
    });
    auto run = newest == runs.end() ? last : *newest;
    const auto written = write_latencies(store, std::move(run), latencies, options.tables);
    remark("{}: {} cells\n", folder.string(), latencies.size());
    warn_of_shards(written.table.run);
  }
  const auto probes = run::write_experiments(store, options.tables.folder, table, options.tables.replaces, catalogue);
  if (probes > 0) remark("{}: {} probes\n", folder.string(), probes);
}

void merge(const MergeOptions& options) {
  const auto merged = results::merge_stores({options.stores.begin(), options.stores.end()}, options.into, run::agree);
  remark("{}: {} runs and {} records added, {} records replaced\n", options.into, merged.runs, merged.added,
         merged.replaced);
  print_conflicts(merged.conflicts);
  results::Store store(options.into);
  const auto tables = store.newest_runs();
  if (tables.empty())
    throw Error(ExitCode::incomplete, fmt::format("there are no results in {}", options.into),
                "Name the stores that have them: a merge that was killed leaves nothing.");
  std::optional<ptx::LoadedCatalogue> loaded;  // takes a second, and not every store needs it
  const auto catalogue = [&]() -> const ptx::LoadedCatalogue& {
    if (!loaded) loaded = catalogue_of(options);
    return *loaded;
  };
  std::vector<std::string> missing;
  for (const auto& last : tables) {
    write_table(store, last, options, catalogue);
    for (const auto& division : results::unfinished_plans(store.runs(last.table)))
      missing.push_back(fmt::format("{}: {}", last.table, what_is_missing(division)));
  }
  if (missing.empty()) return;
  throw Error(ExitCode::incomplete, fmt::format("{}", fmt::join(missing, "\n        ")),
              "What exists is merged and written; make the rest with `ptxlat run --shard`, and merge again.");
}

}  // namespace

void add_merge(CLI::App& program) {
  auto* command = program.add_subcommand(
      "merge",
      "Join stores into one and write its tables. The stores are only read, and may be in use. Of two records of one "
      "cell, the one of the newer method is kept, then one that a second process contradicted, then a proven one, then "
      "that of the run that started later. So their order does not matter, and merging again changes nothing. Numbers "
      "that contradict each other are reported. If a shard is missing or did not finish, it is named, and the exit "
      "code "
      "is 9.");
  auto options = std::make_shared<MergeOptions>();
  command->add_option("stores", options->stores, "The stores to join, as `run --store` wrote them.")
      ->required()
      ->type_name("STORE");
  command
      ->add_option(
          "--into", options->into,
          "The store to merge into; created if it does not exist. Its own records take part under the same rule. "
          "If it is also listed among the stores, it is not read twice.")
      ->required()
      ->type_name("FILE");
  add_table_options(*command, options->tables);
  command
      ->add_option(
          "--catalogue", options->catalogues,
          "A folder with your own *.toml entries, if the stores have opcodes measured with it; can be repeated.")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  command->callback([options] { merge(*options); });
}

}  // namespace ptxlat::cli
