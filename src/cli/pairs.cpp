// SPDX-License-Identifier: Apache-2.0
#include "cli/pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <future>
#include <iostream>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/nearest_names.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/opcode_job.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "cli/table_names.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "pages/findings.h"
#include "pairs/hazards.h"
#include "results/store.h"
#include "run/facts.h"
#include "run/opcodes.h"
#include "run/pair_table.h"
#include "tables/folder.h"

namespace ptxlat::cli {

namespace {

struct PairOptions : OpcodeJobOptions {
  std::vector<std::string> count;
  std::string against;
};

void print(const Folder& folder, const tables::PairFiles& files, const std::string& format) {
  if (!files.runs.empty() && !files.runs.back().is_finished())
    say(stderr, "the last run did not finish: pairs are missing\n");
  remark("{} pairs\n", files.pairs.size());
  say(stderr, "{}\n", folder.path().string());
  print_rows(tables::pair_columns(), files.pairs, "pairs", folder.path(), format, [&](std::ostream& out) {
    if (is_brief()) return pages::write_pair_findings(out, files.pairs);
    tables::write_pair_text(out, files.pairs);
  });
}

void measure(const PairOptions& options, run::OpcodeJob& job, StageProgress& progress) {
  job.run.rules = pairs::hazard_version;
  std::erase_if(job.forms, [](const isa::Form* form) { return form->cuda.has_value(); });
  constexpr double seconds_of_cell = 0.03;  // on a core: 13,756 cells take 16 cores and an H100 16 to 36 s
  if (options.is_dry)
    return print_plan(options, job, keys_of(pairs::plan_hazards(job.loaded, job.forms, job.level)), seconds_of_cell);
  results::Store store(options.store);
  const Folder folder(options.tables, job.run.table);
  // Takes seconds, while the GPUs are busy.
  auto schedules = std::async(std::launch::async, [&] { return run::schedules_in(folder.path(), job.loaded); });
  const auto made = run::make_pairs(job, store, &heed_interrupts(), progress.calls());
  progress.finish();
  warn_of_failures(failures_in(made.registers) + failures_in(made.hazards));
  const auto& table = made.run.table;
  if (made.completed) {
    tables::PairFiles files{{}, {}, made.hazards, store.runs(table)};
    if (const auto loss = run::loss_of_pairs(folder.path(), files); loss && !options.replaces) throw Error(*loss);
    files = run::write_pair_table(folder, schedules.get(), std::move(files));
    print(folder, files, options.format);
    run::save_release(store, table, job.level, files.pairs);
  }
  if (!made.registers.empty()) run::write_facts(folder, store, table);
  require_completed(made.completed, options.store);
}

}  // namespace

void show_pairs(const std::filesystem::path& table, const std::string& opcode) {
  const auto all = tables::read_table(table, {tables::Part::pairs}).pairs.pairs;
  if (all.empty())
    throw Error(ExitCode::unknown_name, fmt::format("{} has no pairs", table.string()),
                fmt::format("`ptxlat pairs --reread {}` makes them from its windows", table.string()));
  std::vector<results::Pair> rows;
  std::set<std::string> names;
  for (const auto& row : all) {
    names.insert({row.producer, row.consumer});
    if (row.producer == opcode || row.consumer == opcode) rows.push_back(row);
  }
  if (rows.empty()) {
    const auto nearest = nearest_names(opcode, {names.begin(), names.end()});
    throw Error(ExitCode::unknown_name, fmt::format("{} has no pairs of {}", table.string(), opcode),
                nearest.empty() ? "" : fmt::format("it has {}", fmt::join(nearest, ", ")));
  }
  constexpr double unknown = 1e9;
  const auto order = [&](const results::Pair& row) {
    return std::tuple(row.producer != opcode, row.schedule.value_or(row.measured.value_or(unknown)));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& x, const auto& y) { return order(x) < order(y); });
  tables::write_pair_text(std::cout, rows);
}

void add_pairs(CLI::App& program) {
  auto* command = program.add_subcommand(
      "pairs",
      "Find how far apart a SASS opcode and one that depends on it must be: what the assembler leaves between them, "
      "and "
      "the lowest distance at which all values are right, found by patching stall counts (docs/pairs.md).");
  auto options = std::make_shared<PairOptions>();
  add_opcode_job(*command, *options,
                 "Apply the current rules to the windows and records in this table's folder again, without a GPU, and "
                 "write the results there. A latency table alone is enough for the schedules.");
  auto* count =
      command->add_option("--count", options->count,
                          "Count the pairs of fixed latency in these cubins instead, without a GPU, and write csv: how "
                          "often each is there, "
                          "its least distance, and how often that is below, at and above the hazard in --against.");
  count->type_name("CUBIN ...");
  command
      ->add_option("--against", options->against,
                   "The table whose pairs.csv has the hazards for --count, a folder or a name.")
      ->type_name("TABLE")
      ->needs(count);
  command->callback([options] {
    if (!options->count.empty()) {
      const auto hazards = options->against.empty()
                               ? std::vector<results::Pair>{}
                               : tables::read_table(table_named(options->against), {tables::Part::pairs}).pairs.pairs;
      return print_text([&](std::ostream& out) {
        tables::write_rows(out, run::counted_pair_columns(), run::count_pairs(options->count, hazards));
      });
    }
    if (!options->reread.empty()) {
      print(Folder(options->reread), run::reread_pairs(options->reread, load_catalogue_for(options->selection)),
            options->format);
      return;
    }
    for_each_job(*options, [&](run::OpcodeJob& job, const GpuKind&, StageProgress& progress) {
      measure(*options, job, progress);
    });
  });
}

}  // namespace ptxlat::cli
