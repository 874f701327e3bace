// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <mutex>
#include <sstream>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/nearest_names.h"
#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/dry_run.h"
#include "cli/gpus.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/show.h"
#include "cli/table_names.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "isa/catalogue.h"
#include "memory/infer.h"
#include "memory/machine.h"
#include "pages/findings.h"
#include "pages/plot.h"
#include "probe/method.h"
#include "results/json.h"
#include "results/store.h"
#include "run/facts.h"
#include "run/probes.h"
#include "run/provenance.h"
#include "tables/compression.h"
#include "tables/probe_files.h"

namespace ptxlat::cli {

namespace {

struct ProbeOptions {
  std::vector<std::string> names;
  bool list = false;
  std::vector<std::string> folders;
  std::string toolchain;
  int level = 3;
  std::string devices = "0";
  std::string store = "ptxlat.sqlite";
  std::string tables = default_tables;
  std::string format = "text";
  bool is_dry = false;
  std::string plot;  // folder; empty: none
  std::string oracle, replay, log, reread;
  std::string paper;    // whose probes; empty: all
  std::string predict;  // a quantity; empty: measure
  std::string table;    // that has it
  std::uint64_t seed = 1;
};

std::vector<probe::Probe> all_probes(const ProbeOptions& options) {
  std::vector<std::filesystem::path> folders{isa::templates_folder() / "probes"};
  folders.insert(folders.end(), options.folders.begin(), options.folders.end());
  return probe::load_probes(folders);
}

// Those named, or all; of a paper, if one is named.
std::vector<const probe::Probe*> chosen(const std::vector<probe::Probe>& probes, const std::vector<std::string>& names,
                                        const std::string& paper) {
  const auto repeats = [&](const probe::Probe& probe) {
    return paper.empty() || std::any_of(probe.sources.begin(), probe.sources.end(),
                                        [&](const auto& source) { return source.paper == paper; });
  };
  std::vector<const probe::Probe*> found;
  std::vector<std::string> known;
  for (const auto& probe : probes) {
    known.push_back(probe.name);
    if (names.empty() ? repeats(probe) : std::find(names.begin(), names.end(), probe.name) != names.end())
      found.push_back(&probe);
  }
  for (const auto& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ExitCode::unknown_name, "no such probe: " + name,
                did_you_mean(nearest_names(name, known, 1)) + "`ptxlat probe --list` lists them all");
  }
  return found;
}

void list(const std::vector<const probe::Probe*>& probes, const std::string& format) {
  if (format == "json") {
    auto document = json_head();
    document["probes"] = results::Json::array();
    for (const auto* probe : probes)
      document["probes"].push_back({{"name", probe->name}, {"sentence", probe->sentence}, {"cost", probe->cost}});
    return print_json(document);
  }
  std::size_t width = 0;
  for (const auto* probe : probes) width = std::max(width, probe->name.size());
  for (const auto* probe : probes)
    say("{:<{}}  {}{}\n", probe->name, width, probe->sentence,
        probe->cost.empty() ? "" : fmt::format(" ({})", probe->cost));
}

// The probes of each GPU, one after another; all GPUs at the same time. Most facts belong to one GPU: those of the
// first GPU are in the table of its kind, those of each further GPU in a table below it. A lost GPU has no result, if
// another one is left.
std::vector<std::optional<run::MadeProbes>> make_probes(const ProbeOptions& options, const GpuKind& kind,
                                                        std::vector<run::ProbeJob>& jobs, results::Store& store) {
  std::vector<std::optional<run::MadeProbes>> made(jobs.size());
  std::size_t planned = 0;
  for (const auto& job : jobs) planned += job.plan.size();
  Progress progress(std::cerr, progress_to(), planned, "probes");
  std::mutex of_progress;
  std::vector<Error> failures;
  Stop never(nullptr);
  run_threads(jobs.size(), never, [&](std::size_t i) {
    const Folder folder(options.tables, jobs[i].run.table);
    try {
      made[i] = run::make_probes(
          jobs[i], store, kind.gpus[i]->worker, &heed_interrupts(),
          [&](std::size_t count) {
            const std::scoped_lock lock(of_progress);
            progress.advance(count);
          },
          [&](const std::string& name, const std::string& log) { tables::write_probe_log(folder, name, log); });
    } catch (const Error& error) {
      if (error.exit_code != ExitCode::no_gpu || jobs.size() == 1) throw;
      const std::scoped_lock lock(of_progress);
      report_lost(*kind.gpus[i], error);
      failures.push_back(error);
    }
  });
  progress.finish();
  if (failures.size() == jobs.size()) throw failures.front();
  return made;
}

void print_probes(const std::string& format, const std::filesystem::path& folder,
                  const std::vector<results::Record>& records) {
  if (format == "csv") return print_text([&](std::ostream& out) { tables::write_facts_csv(out, records); });
  if (format == "json") {
    auto document = json_head(folder.string());
    document["probes"] = results::Json::array();
    for (const auto& record : records) document["probes"].push_back(results::to_json_without_windows(record));
    return print_json(document);
  }
  if (format == "none") return;
  if (is_brief()) return print_text([&](std::ostream& out) { pages::write_probe_findings(out, records); });
  tables::write_probe_text(std::cout, records);
}

void write_probes(const ProbeOptions& options, const run::MadeProbes& made, const results::Store& store) {
  const Folder folder(options.tables, made.run.table);
  run::write_facts(folder, store, made.run.table);
  remark("{} probes made, {} were already in {}\n", made.made, made.wanted.size() - made.made, options.store);
  warn_of_failures(failures_in(made.wanted));
  say(stderr, "{}\n", folder.path().string());
  if (!options.plot.empty()) {
    for (const auto& file : pages::write_plots(options.plot, made.wanted, store.runs(made.run.table)))
      say(stderr, "{}\n", file.string());
  }
  print_probes(options.format, folder.path(), made.wanted);
}

// Of each GPU, all at the same time.
void print_plan(const ProbeOptions& options, const std::vector<run::ProbeJob>& jobs) {
  constexpr double seconds_of_probe = 2.5;  // all of them take an H200 160 s
  for (const auto& job : jobs)
    print_dry_run(
        {.table = job.run.table, .folder = options.tables, .things = "probes", .seconds_of_each = seconds_of_probe},
        keys_of(job.plan), options.store, options.format);
}

void measure(const ProbeOptions& options, const std::vector<const probe::Probe*>& probes, const GpuKind& kind) {
  const auto& device = kind.first().device;
  for (const auto& toolchain : toolchains_for(options.toolchain, device)) {
    require_levels({options.level}, toolchain.kind);
    const auto target = target_of(toolchain, device);
    std::vector<run::ProbeJob> jobs;
    for (const auto& gpu : kind.gpus) {
      auto& job = jobs.emplace_back(run::ProbeJob{
          .toolchain = toolchain,
          .target = target,
          .run = run::begin_run(toolchain, target, gpu->device),
          .plan = probe::plan_probes(probes, options.level, probe::names_of(gpu->device)),
          .disassembler =
              std::make_unique<sass::Nvdisasm>(assemble::nvdisasm_for(target), sass::nvdisasm_pace(1), cache_folder()),
          .assemblers = make_kernel_assemblers(toolchain, target, gpu->options, 1)});
      job.run.warnings = gpu->warnings;
      note_code(job.run, *job.assemblers.front(), toolchain);
      if (gpu != kind.gpus.front()) job.run.table = run::own_table(job.run);
    }
    if (options.is_dry) {
      print_plan(options, jobs);
      continue;
    }
    results::Store store(options.store);
    const auto made = make_probes(options, kind, jobs, store);
    for (const auto& of_gpu : made) {
      if (of_gpu && !of_gpu->completed)
        throw Error(ExitCode::interrupted,
                    fmt::format("interrupted; every finished probe is kept in {}", options.store),
                    "rerun the same command to continue");
    }
    for (const auto& of_gpu : made) {
      if (of_gpu) write_probes(options, *of_gpu, store);
    }
  }
}

// Infers the structure of a machine from its answers alone.
void infer_machine(const ProbeOptions& options, memory::Machine& machine) {
  results::Record record;
  record.kind = results::RecordKind::probe;
  record.ptx = machine.info().kind;
  if (options.log.empty()) {
    record.facts = memory::infer(machine, options.seed);
  } else {
    std::ostringstream log;
    memory::LoggedMachine logged(machine, log);
    record.facts = memory::infer(logged, options.seed);
    replace_file(options.log, tables::zstd(log.str()));
  }
  print_text([&](std::ostream& out) { tables::write_facts_csv(out, {record}); });
}

void infer_oracle(const ProbeOptions& options) {
  memory::Oracle oracle(options.oracle, std::chrono::minutes(1));
  infer_machine(options, oracle);
}

void infer_again(const ProbeOptions& options) {
  std::istringstream log(tables::read_probe_log(options.replay));
  memory::ReplayedMachine machine(log);
  infer_machine(options, machine);
}

// What the rule says of each case on standard input.
void predict(const ProbeOptions& options) {
  const auto& quantity = run::predicting_quantity(options.predict);
  const auto folders = options.table.empty() ? run::folders_with_probes(options.tables)
                                             : std::vector<std::filesystem::path>{table_named(options.table)};
  const auto rule = run::rule_in_tables(folders, options.predict);
  for (std::string line; std::getline(std::cin, line);) {
    if (!line.empty()) say("{} {}\n", line, quantity.predict(rule, line));
  }
}

}  // namespace

void add_probe(CLI::App& program) {
  auto* command =
      program.add_subcommand("probe", "Run experiments on the machine itself: curves, time-lines and facts.");
  auto options = std::make_shared<ProbeOptions>();
  command->add_option("names", options->names, "The probes to run. Default: all.")->type_name("NAME");
  command->add_flag("--list", options->list, "List the probes with their descriptions, without measuring.");
  command
      ->add_option("--probes", options->folders,
                   "A folder with your own probes (docs/probes.md), in addition to the shipped ones; can be repeated.")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  add_toolchain(*command, options->toolchain, Toolchains::several, "driver", "are used one after another");
  add_level(*command, options->level);
  add_devices(*command, options->devices);
  add_store(*command, options->store, "probes");
  add_tables(*command, options->tables);
  add_dry_run(*command, options->is_dry, "probes");
  add_format(*command, options->format, {"text", "csv", "json", "none"},
             "text (on a terminal, the facts), csv (the facts), json or none");
  add_output_folder(
      *command, "--plot", options->plot,
      "Also draw each series into this folder as an SVG file, marked with the inferred facts; needs gnuplot. "
      "`ptxlat show NAME --table FOLDER --plot FOLDER` does so later, without a GPU. Default: none.");
  command
      ->add_option("--oracle", options->oracle,
                   "Infer the memory that this program simulates, instead of a GPU's. The program answers accesses on "
                   "its standard input (docs/inference.md); the facts go to standard output as csv.")
      ->type_name("PROGRAM");
  command->add_option("--log", options->log, "Save the dialogue with the oracle in this file, compressed.")
      ->type_name("FILE")
      ->needs("--oracle");
  command->add_option("--replay", options->replay, "Repeat the inference from such a file, without the program.")
      ->type_name("FILE")
      ->excludes("--oracle");
  command
      ->add_option("--reread", options->reread,
                   "Read this table's facts off its series and logs again, with the current rules and without a GPU, "
                   "and write them to the table's folder.")
      ->type_name("FOLDER")
      ->excludes("--oracle")
      ->excludes("--replay");
  command
      ->add_option("--paper", options->paper,
                   "Only the probes that repeat this paper: mei, arafa, gt200, ispass or kanter. Default: all probes.")
      ->check(CLI::IsMember(std::vector<std::string>(probe::paper_names.begin(), probe::paper_names.end())))
      ->excludes("names");
  command
      ->add_option("--predict", options->predict,
                   "Print what a rule, such as simt.two_way_rule, predicts for each case on standard input, one per "
                   "line; without a GPU.")
      ->type_name("QUANTITY");
  add_table(*command, options->table,
            "The table that has the rule to predict with. Default: those below --tables, if they agree.")
      ->needs("--predict");
  command->add_option("--seed", options->seed, "Random seed for the lines that an inference tries. Default: 1.");
  command->callback([options] {
    if (!options->oracle.empty()) return infer_oracle(*options);
    if (!options->replay.empty()) return infer_again(*options);
    if (!options->predict.empty()) return predict(*options);
    const auto probes = all_probes(*options);
    if (!options->reread.empty()) {
      const auto records = run::reread_probes(options->reread, probes);
      return print_text([&](std::ostream& out) { tables::write_facts_csv(out, records); });
    }
    const auto wanted = chosen(probes, options->names, options->paper);
    if (options->list) return list(wanted, options->format);
    if (!options->plot.empty()) pages::require_gnuplot();
    for (const auto& kind : open_gpus(options->devices)) measure(*options, wanted, kind);
  });
}

}  // namespace ptxlat::cli
