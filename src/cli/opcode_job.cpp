// SPDX-License-Identifier: Apache-2.0
#include "cli/opcode_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iostream>
#include <utility>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "cli/toolchains.h"
#include "run/provenance.h"

namespace ptxlat::cli {

namespace {

// Patched code takes milliseconds at most; a kernel that never ends must not hold up all others.
worker::WorkerOptions patched_code() {
  auto options = worker_options(0);
  options.kernel_deadline = scaled_deadline(std::chrono::milliseconds(500));
  options.expects_faults = true;
  return options;
}

// Loads the catalogue while something else is done.
using Loading = std::future<ptx::LoadedCatalogue>;
Loading begin_loading(const OpcodeJobOptions& options) {
  return std::async(std::launch::async, [&] { return load_catalogue_for(options.selection); });
}

// Many threads wait for a GPU and not for texts, so half of them would never want any at the same time. Each chunk of
// patched code is small, and would wait for `max_wait`.
sass::NvdisasmPace pace_of(int threads) {
  auto pace = sass::nvdisasm_pace(threads);
  pace.max_wait = std::chrono::milliseconds(50);
  return pace;
}

run::OpcodeJob job_of(const OpcodeJobOptions& options, const GpuKind& kind, const assemble::Toolchain& toolchain,
                      Loading loading) {
  const auto& device = kind.first().device;
  const int threads = assembling_threads(options.threads);
  run::OpcodeJob job;
  job.toolchain = toolchain;
  job.target = target_of(toolchain, device);
  job.assemblers = make_kernel_assemblers(toolchain, job.target, kind.options(), threads);
  job.loaded = loading.get();
  job.forms = selected_forms(job.loaded.catalogue, options.selection, is_core_only(options.selection), std::nullopt);
  job.level = options.level;
  job.run = run::begin_run(toolchain, job.target, device);
  job.run.warnings = kind.first().warnings;
  note_code(job.run, *job.assemblers.front(), toolchain);
  job.further = kind.further();
  job.workers = kind.workers();
  job.disassembler =
      std::make_unique<sass::Nvdisasm>(assemble::nvdisasm_for(job.target), pace_of(threads), cache_folder());
  return job;
}

}  // namespace

void add_opcode_job(CLI::App& command, OpcodeJobOptions& options, const std::string& of_reread) {
  add_form_filters(command, options.selection);
  command.add_flag("--all", options.selection.all_forms,
                   "Take all forms, not only the core. What is the same machine code is measured once.");
  add_catalogue(command, options.selection);
  add_toolchain(command, options.selection.toolchain, Toolchains::several, "driver", "are used one after another");
  add_level(command, options.level);
  add_devices(command, options.devices);
  add_threads(command, options.threads, "two");
  add_store(command, options.store, "cells");
  add_tables(command, options.tables);
  add_replace(command, options.replaces);
  add_format(command, options.format, {"text", "csv", "json", "none"},
             "text (on a terminal, what was found), csv (the rows of the file), json or none");
  add_dry_run(command, options.is_dry, "cells");
  command.add_option("--reread", options.reread, of_reread)->type_name("FOLDER");
}

void for_each_job(const OpcodeJobOptions& options, const MeasureJob& measure) {
  const auto& wanted = options.selection.toolchain;
  auto started = std::chrono::steady_clock::now();
  auto loading = begin_loading(options);
  for (const auto& kind : open_gpus(options.devices, patched_code())) {
    for (const auto& toolchain : toolchains_for(wanted, kind.first().device)) {
      require_levels({options.level}, toolchain.kind);
      if (!loading.valid()) loading = begin_loading(options);
      auto job = job_of(options, kind, toolchain, std::exchange(loading, {}));
      StageProgress progress(kind, job.assemblers.size(), started);
      measure(job, kind, progress);
      progress.files_are_written();
      started = std::chrono::steady_clock::now();
    }
  }
}

void print_plan(const OpcodeJobOptions& options, const run::OpcodeJob& job, const std::vector<results::CellKey>& cells,
                double seconds_of_cell) {
  print_dry_run({.table = job.run.table,
                 .folder = options.tables,
                 .forms = job.forms.size(),
                 .assemblers = job.assemblers.size(),
                 .seconds_of_each = seconds_of_cell},
                cells, options.store, options.format);
}

double StageProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

// Of several processes, only the first was not started after a fault or a hang.
void StageProgress::print(const run::StageTimes& times) const {
  if (!manner().is_verbose) return;
  say(stderr, "  took {:.1f} s, from {:.1f} s after the start\n", times.wall, seconds() - times.wall);
  for (const auto& [station, spent] : times.stations)
    say(stderr, "  {:<11} {:8.2f} s over {} threads\n", station, spent, threads_);
  for (std::size_t i = 0; i < times.gpus.size(); ++i) {
    const auto& gpu = times.gpus[i];
    const auto& worker = times.workers[i];
    say(stderr,
        "  GPU {:<7} {:8.2f} s busy ({:.0f} %), between {:.1f} and {:.1f} s: {:.2f} s starting {} processes, "
        "{:.2f} s loading, {:.2f} s running\n",
        kind_.gpus[i]->device.index, gpu.busy, 100 * gpu.busy / times.wall, gpu.first, gpu.last, worker.starting,
        worker.processes, worker.loading, worker.running);
  }
}

run::OpcodeProgress StageProgress::calls() {
  return {.on_stage =
              [this](const std::string& stage, std::size_t cells) {
                if (progress_) progress_->finish();
                remark("{}\n", stage);
                progress_.emplace(std::cerr, progress_to(), cells);
              },
          .on_finished = [this](std::size_t count) { progress_->advance(count); },
          .on_stage_end =
              [this](const run::StageTimes& times) {
                clear_progress();
                print(times);
              },
          .on_gpu_lost = [this](std::size_t gpu, const Error& why) { return report_lost(*kind_.gpus[gpu], why); }};
}

void StageProgress::finish() {
  progress_->finish();
  stages_ended_ = seconds();
}

void StageProgress::files_are_written() const {
  if (manner().is_verbose)
    say(stderr, "{:.1f} s, of which {:.1f} s after the last stage\n", seconds(), seconds() - stages_ended_);
}

void require_completed(bool is_completed, const std::string& store) {
  if (!is_completed)
    throw Error(ExitCode::interrupted, fmt::format("interrupted; every finished cell is kept in {}", store),
                "rerun the same command to continue");
}

}  // namespace ptxlat::cli
