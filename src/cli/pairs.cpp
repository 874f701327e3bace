// SPDX-License-Identifier: Apache-2.0
#include "cli/pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <future>
#include <iostream>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "assemble/toolkit.h"
#include "base/error.h"
#include "base/file.h"
#include "base/nearest_names.h"
#include "cli/commands.h"
#include "cli/opcode_job.h"
#include "cli/print_text.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "line/window_record.h"
#include "pairs/hazards.h"
#include "pairs/register_cases.h"
#include "pairs/scheduled_pairs.h"
#include "results/store.h"
#include "run/facts.h"
#include "run/kept.h"
#include "run/pairs.h"
#include "tables/pair_files.h"
#include "tables/probe_files.h"
#include "tables/table.h"
#include "tables/table_files.h"

namespace ptxlat::cli {

namespace {

struct PairOptions : OpcodeJobOptions {
  std::vector<std::string> count;
  std::string against;
};

// The records of a latency table; none if there is no table. Cells that share a row have the same windows, which only
// the first of them gets here.
std::vector<results::Record> windows_of(const std::filesystem::path& folder) {
  const auto table = tables::read_latencies(folder);
  std::vector<const tables::Cell*> leading;
  for (const auto& cell : table.cells) {
    if (cell.leads) leading.push_back(&cell);
  }
  auto whole = tables::whole_records(table, leading);
  std::vector<results::Record> records;
  records.reserve(table.cells.size());
  auto next = whole.begin();
  for (const auto& cell : table.cells) {
    if (cell.leads) {
      records.push_back(std::move(*next++));
    } else {
      records.push_back(cell.record);
    }
  }
  return records;
}

void read_again(const PairOptions& options) {
  const std::filesystem::path folder = options.reread;
  auto files = tables::read_pair_files(folder);
  require_rules(folder, files.runs, std::array<std::string_view, 1>{pairs::hazard_version});
  const auto pairs = write_pairs(folder, schedules_in(folder, load_catalogue_for(options.selection)), std::move(files),
                                 options.format);
  auto probes = tables::read_probe_files(folder);
  for (auto& record : probes) {
    if (record.ptx != pairs::registers_name) continue;
    pairs::read_registers_again(record);
    run::note_release(record, pairs);
  }
  if (!probes.empty()) tables::rewrite_facts(folder, probes);
}

// How often a pair is in some code, and at which distances.
struct Counted {
  int count = 0, below = 0, at = 0, above = 0, least = 0;
};

sass::Cubin cubin_in(const std::filesystem::path& file) {
  const auto content = read_file(file);
  try {
    return sass::read_cubin({content.begin(), content.end()});
  } catch (const Error& error) {
    throw Error(ExitCode::storage, fmt::format("{}: {}", file.string(), error.what()),
                "--count takes cubins, as ptxas writes them.");
  }
}

// The pairs of fixed latency in cubins, the most frequent first, as csv.
void count_pairs(const PairOptions& options) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, double> hazards;
  for (const auto& row : tables::read_pairs(options.against)) {
    if (row.hazard) hazards[{row.producer, row.consumer, row.slot}] = *row.hazard;
  }
  std::map<Key, Counted> found;
  for (const auto& file : options.count) {
    const auto cubin = cubin_in(file);
    std::vector<line::AssembledKernel> kernels(cubin.kernels.size());
    std::vector<sass::Instruction*> wanted;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      kernels[i].window = sass::whole_window(cubin.kernels[i]);
      for (auto& one : kernels[i].window->instructions) wanted.push_back(&one);
    }
    sass::Nvdisasm(assemble::nvdisasm_for({cubin.sm, ""})).disassemble(cubin.sm, wanted);
    for (const auto& kernel : kernels) {
      for (const auto& pair : pairs::pairs_in_code(line::window_record("kernel", kernel, {}).sass)) {
        if (pair.waits) continue;
        const Key key{pair.producer, pair.consumer, pair.slot};
        auto& one = found[key];
        one.least = one.count == 0 ? pair.distance : std::min(one.least, pair.distance);
        ++one.count;
        const auto hazard = hazards.find(key);
        if (hazard == hazards.end()) continue;
        ++(pair.distance < hazard->second ? one.below : pair.distance > hazard->second ? one.above : one.at);
      }
    }
  }
  std::vector<std::pair<Key, Counted>> rows(found.begin(), found.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& x, const auto& y) { return x.second.count > y.second.count; });
  say("producer,consumer,slot,count,least,hazard,below,at,above\n");
  for (const auto& [key, one] : rows) {
    const auto hazard = hazards.find(key);
    const auto& [producer, consumer, slot] = key;
    say("{},{},{},{},{},{},{},{},{}\n", producer, consumer, slot, one.count, one.least,
        hazard == hazards.end() ? "" : fmt::format("{}", hazard->second), one.below, one.at, one.above);
  }
}

void measure(const PairOptions& options, run::OpcodeJob& job, StageProgress& progress) {
  job.run.rules = pairs::hazard_version;
  std::erase_if(job.forms, [](const isa::Form* form) { return form->cuda.has_value(); });
  results::Store store(options.store);
  const Folder folder(options.tables, job.run.table);
  // Takes seconds, while the GPUs are busy.
  auto schedules = std::async(std::launch::async, [&] { return schedules_in(folder.path(), job.loaded); });
  const auto made = run::make_pairs(job, store, &heed_interrupts(), progress.calls());
  progress.finish();
  warn_of_failures(failures_in(made.registers) + failures_in(made.hazards));
  const auto& table = made.run.table;
  if (made.completed) {
    tables::PairFiles files{{}, made.hazards, store.runs(table)};
    if (const auto loss = run::loss_of_pairs(folder.path(), files); loss && !options.replaces) throw Error(*loss);
    const auto pairs = write_pairs(folder, schedules.get(), std::move(files), options.format);
    run::save_release(store, table, job.level, pairs);
  }
  if (!made.registers.empty()) run::write_facts(folder, store, table);
  require_completed(made.completed, options.store);
}

}  // namespace

pairs::Schedules schedules_in(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded) {
  return pairs::schedules_of(windows_of(folder), pairs::refusals_of(loaded));
}

std::vector<results::Pair> write_pairs(const Folder& folder, const pairs::Schedules& schedules, tables::PairFiles files,
                                       const std::string& format) {
  files.pairs = pairs::pair_rows(schedules, files.hazards);
  tables::write_pair_files(folder, files);
  if (!files.runs.empty() && !files.runs.back().is_finished())
    say(stderr, "the last run did not finish: pairs are missing\n");
  say(stderr, "{} pairs\n{}\n", files.pairs.size(), folder.path().string());
  if (format == "text") tables::write_pair_text(std::cout, files.pairs);
  return std::move(files.pairs);
}

void show_pairs(const std::filesystem::path& table, const std::string& opcode) {
  const auto all = tables::read_pairs(table);
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
  command->add_option("--against", options->against, "The table whose pairs.csv has the hazards for --count.")
      ->type_name("FOLDER")
      ->needs(count);
  command->callback([options] {
    if (!options->count.empty()) return count_pairs(*options);
    if (!options->reread.empty()) return read_again(*options);
    for_each_job(*options, [&](run::OpcodeJob& job, const GpuKind&, StageProgress& progress) {
      measure(*options, job, progress);
    });
  });
}

}  // namespace ptxlat::cli
