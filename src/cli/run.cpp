// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bundle/cells.h"
#include "cli/bundled.h"
#include "cli/commands.h"
#include "cli/dry_run.h"
#include "cli/gpus.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/run_output.h"
#include "cli/screen.h"
#include "cli/selection.h"
#include "cli/table_names.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "isa/select.h"
#include "latency/plan.h"
#include "results/store.h"
#include "results/stored_records.h"
#include "run/nearest_card.h"
#include "run/provenance.h"
#include "run/session.h"
#include "run/sm_clock.h"

namespace ptxlat::cli {

namespace {

// Records the plan with the run, and reduces it to the part to be made here.
//   shard  empty: all of it
void take_shard(run::TableJob& job, const std::optional<results::Shard>& shard) {
  job.run.plan = latency::name_of_plan(job.plan);
  if (!shard) return;
  job.run.shard = to_string(*shard);
  job.plan = latency::cells_of_shard(job.plan, *shard);
}

// Loads the catalogue and plans the cells that the options name. The assemblers run in workers with these options, and
// start before that: the driver takes as long.
void prepare_assembling(run::TableJob& job, const RunOptions& options, const worker::WorkerOptions& of_workers) {
  const auto& selection = options.selection;
  const int threads = assembling_threads(options.threads);
  job.assemblers = make_kernel_assemblers(job.toolchain, job.target, of_workers, threads);
  job.loaded = load_selected(selection, selection.filters);
  require_levels(selection.levels, job.toolchain.kind);
  const auto forms = selected_forms(job.loaded.catalogue, selection, is_core_only(selection), std::nullopt);
  const auto functions = compile_cuda(forms, job.toolchain, job.target);
  cuda::apply_compiled(job.loaded.catalogue.forms, functions);
  job.run.nvrtc = functions.compiler;
  job.plan = latency::plan_cells(job.loaded, forms, selection.levels);
  take_shard(job, options.shard);
  job.disassembler = std::make_unique<sass::Nvdisasm>(assemble::nvdisasm_for(job.target), sass::nvdisasm_pace(threads),
                                                      cache_folder());
  note_code(job.run, *job.assemblers.front(), job.toolchain);
}

// Plans the cells of a bundle and prepares its toolchain's recorded answers.
void prepare_bundled(run::TableJob& job, const RunOptions& options, const bundle::Bundle& bundle, std::size_t toolchain,
                     const std::vector<int>& levels) {
  job.plan = bundled_plan(bundle, job.loaded, options.selection, levels);
  if (bundle.manifest.shard.empty()) {
    take_shard(job, options.shard);
  } else {
    require_shard(bundle, options.shard);
    job.run.plan = name_of_plan(bundle, options.selection, levels);
    job.run.shard = bundle.manifest.shard;
  }
  job.disassembler = bundle::make_recorded_disassembler(bundle);
  for (int i = 0; i < assembling_threads(options.threads); ++i)
    job.assemblers.push_back(bundle::make_recorded_assembler(bundle, toolchain));
  note_code(job.run, *job.assemblers.front(), job.toolchain);
  job.run.bundle = origin_of(bundle);
}

//   kind  the GPUs; null for static tables
void make_table(run::TableJob job, const RunOptions& options, const GpuKind* kind) {
  job.run.seed = options.seed;
  if (kind != nullptr) job.run.launches = options.launches;
  if (options.is_dry) return print_plan(job, options);
  const auto is_there = [&](const auto& cell) { return isa::has_target(cell.variant.form->requirement, job.target); };
  if (!job.plan.empty() && std::none_of(job.plan.begin(), job.plan.end(), is_there)) {
    const auto& form = *job.plan.front().variant.form;
    say(stderr, "warning: {} has none of these forms: {} needs {}\n", job.target.name(), form.ptx,
        isa::targets_text(form.requirement));
  }
  const auto planned = keys_of(job.plan);
  results::Store store(options.store);
  require_kept(store, job.run.table, planned, options.tables);
  std::optional<line::NearestCard> card;
  if (kind == nullptr) card = chosen_card(options.card, job.target);
  if (card) job.run.card = card->table;
  std::optional<Progress> progress;
  auto live = live_table(job, options);
  run::SessionOptions session{
      .card = card ? &*card : nullptr, .repeat = options.repeat, .interrupted = &heed_interrupts()};
  if (kind != nullptr) {
    session.workers = kind->workers();
    job.further = kind->further();
    session.sm_clock = [&](std::size_t gpu) {
      return run::measure_sm_clock(kind->gpus[gpu]->worker, driver_toolchain(*job.run.device), job.target,
                                   job.loaded.skeletons);
    };
    session.at_end = [&](std::size_t gpu, std::optional<double> clock) {
      return printed(kind->gpus[gpu]->watch->at_end(clock));
    };
    session.on_gpu_lost = [&](std::size_t gpu, const Error& why) { return report_lost(*kind->gpus[gpu], why); };
  }
  session.on_planned = [&](std::size_t known) {
    if (known > 0) remark("{} of {} cells are already in {}\n", known, job.plan.size(), options.store);
    progress.emplace(std::cerr, progress_to(), job.plan.size() - known);
    if (known > 0 && live) print_known(*live, job, store);
  };
  session.on_share = [&](double share) { progress->set_share(share); };
  std::size_t failures = 0;
  session.on_finished = [&](const std::vector<results::Record>& records) {
    failures += failures_in(records);
    if (live) {
      clear_progress();
      live->add(records);
    }
    progress->advance(records.size());
  };
  auto made = run::make_table(job, store, session);
  progress->finish();
  if (made.repetition) print_repetition(*made.repetition);
  if (made.made > 0 && manner().is_verbose) {
    for (const auto& [station, seconds] : made.run.station_seconds) {
      if (station != "wall")
        say(stderr, "  {:<11} {:8.2f} s over {} threads\n", station, seconds, job.assemblers.size());
    }
  }
  if (!made.completed) {
    throw Error(ExitCode::interrupted, fmt::format("interrupted; every finished cell is kept in {}", options.store),
                "rerun the same command to continue");
  }
  job.plan = {};  // the table needs its memory
  const auto written = [&](const results::Run& run) {
    const results::StoredRecords latencies(store.file(), run.table, results::RecordKind::latency);
    return write_latencies(store, run, latencies, options.tables);
  };
  const auto [table, outline] = written(made.run);
  for (const auto& own : made.own) written(own);
  remark("{}\n", summary(made, outline));
  warn_of_failures(failures);
  warn_of_shards(table.run);
  if (live) live->finish();
  print_table(table, planned, options);
  say(stderr, "{}/{}\n", options.tables.folder, job.run.table);
}

void add_line_options(CLI::App& command, RunOptions& options) {
  add_selection(command, options.selection);
  add_store(command, options.store, "cells");
  add_table_options(command, options.tables);
  add_shard(
      command, options.shard,
      "Make only part K of N parts of equal cost, e.g. 3/16, to spread a table over machines; `ptxlat merge` joins "
      "their stores. Default: everything.");
  add_threads(command, options.threads, "two");
  add_format(command, options.format, {"text", "csv", "json", "none"},
             "text (chapter by chapter, as they finish; on a terminal, a glance at the end), csv, json or none");
  add_dry_run(command, options.is_dry, "cells");
}

CLI::Option* add_bundle(CLI::App& command, RunOptions& options, const std::string& what_to_do) {
  auto* bundle = command.add_option("--bundle", options.bundle,
                                    what_to_do +
                                        " the contents of this bundle, made by `ptxlat assemble`; --toolchain, -O and "
                                        "filters select a part. Default: assemble on this machine.");
  return bundle->type_name("FILE")->excludes("--catalogue")->excludes("--all");
}

// If the driver assembles: forms of the plan that its JIT is too old for.
void warn_of_old_driver(run::TableJob& job) {
  if (job.toolchain.kind != assemble::ToolchainKind::driver) return;
  std::vector<const isa::Form*> forms;
  for (const auto& cell : job.plan) {
    if (forms.empty() || forms.back() != cell.variant.form) forms.push_back(cell.variant.form);
  }
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  for (auto& text : printed(run::warnings_about_driver(forms, job.toolchain, *job.run.device)))
    job.run.warnings.push_back(std::move(text));
}

void run_assembling(const RunOptions& options) {
  for (const auto& kind : open_gpus(options.devices)) {
    const auto& [gpu_options, worker, device, watch, warnings] = kind.first();
    const auto& wanted = options.selection.toolchain;
    for (const auto& toolchain : toolchains_for(wanted, device)) {
      run::TableJob job;
      job.toolchain = toolchain;
      job.target = target_of(toolchain, device);
      job.run = run::begin_run(toolchain, job.target, device);
      job.run.warnings = warnings;
      prepare_assembling(job, options, kind.options());
      warn_of_old_driver(job);
      make_table(std::move(job), options, &kind);
    }
  }
}

void static_assembling(const RunOptions& options) {
  const auto target = target_from(options.selection.target);
  for (const auto& toolchain : chosen_toolchains(options.selection.toolchain, std::nullopt)) {
    run::TableJob job;
    job.toolchain = toolchain;
    job.target = target_of(toolchain, target);
    job.run = run::begin_run(toolchain, job.target, std::nullopt);
    prepare_assembling(job, options, worker_options(0));
    make_table(std::move(job), options, nullptr);
  }
}

// wanted_levels: empty for all levels of the bundle. kind: null for static tables.
void make_bundled_tables(const RunOptions& options, const std::vector<int>& wanted_levels, const GpuKind* kind) {
  const auto bundle = bundle::open_bundle(options.bundle);
  const auto levels = bundled_levels(bundle, wanted_levels);
  const auto toolchains = bundled_toolchains(bundle, options.selection.toolchain);
  std::optional<gpu::DeviceInfo> device;
  std::vector<std::string> warnings;
  if (kind != nullptr) {
    device = kind->first().device;
    warnings = kind->first().warnings;
    require_fitting(bundle, *device);
  }
  for (const auto toolchain : toolchains) {
    run::TableJob job;
    job.toolchain = bundle.manifest.toolchains[toolchain].toolchain;
    job.target = bundle.manifest.toolchains[toolchain].target;
    const auto functions = bundle::functions_in(bundle.files, job.toolchain.name);
    job.loaded = load_catalogue_for(bundle, functions);
    job.run = run::begin_run(job.toolchain, job.target, device);
    job.run.nvrtc = functions.compiler;
    job.run.warnings = warnings;
    prepare_bundled(job, options, bundle, toolchain, levels);
    make_table(std::move(job), options, kind);
  }
}

std::vector<int> levels_given(const CLI::App& command, const RunOptions& options) {
  return command.count("--levels") > 0 ? options.selection.levels : std::vector<int>{};
}

}  // namespace

void add_run(CLI::App& program) {
  auto* command = program.add_subcommand("run", "Measure on the GPU and write the table.");
  auto options = std::make_shared<RunOptions>();
  add_line_options(*command, *options);
  add_devices(*command, options->devices);
  add_launches(*command, options->launches);
  command
      ->add_option(
          "--repeat", options->repeat,
          "Share of the cells that is measured again in a second process, 0 to 1. Default: 0.02, at most 1,000 cells.")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--seed", options->seed, "Random seed for the repeated sample. Default: 1.");
  add_bundle(*command, *options, "Measure");
  command->callback([options, command] {
    if (command->count("--bundle") == 0) return run_assembling(*options);
    for (const auto& kind : open_gpus(options->devices))
      make_bundled_tables(*options, levels_given(*command, *options), &kind);
  });
}

void add_static(CLI::App& program) {
  auto* command =
      program.add_subcommand("static", "Make the same table without a GPU, from the assembler's own schedule.");
  auto options = std::make_shared<RunOptions>();
  options->selection.target = "sm_90a";
  add_line_options(*command, *options);
  add_card(*command, options->card);
  add_target(*command, options->selection.target, "The architecture to assemble for. Default: sm_90a.");
  add_bundle(*command, *options, "Use")->excludes("--target");
  command->callback([options, command] {
    if (command->count("--bundle") == 0) return static_assembling(*options);
    make_bundled_tables(*options, levels_given(*command, *options), nullptr);
  });
}

}  // namespace ptxlat::cli
