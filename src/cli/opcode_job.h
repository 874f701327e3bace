// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/dry_run.h"
#include "cli/gpus.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "cli/tables.h"
#include "run/opcodes.h"

namespace ptxlat::cli {

// The options of the commands that run patched code, made from the selected forms: `opcodes` and `pairs`.
struct OpcodeJobOptions {
  Selection selection;
  int level = 3;
  std::string devices = "0";
  int threads = 0;  // 0: two per core
  std::string store = "ptxlat.sqlite";
  std::string tables = default_tables;
  bool replaces = false;  // also what the store does not have
  std::string format = "text";
  std::string reread;
  bool is_dry = false;
};
//   of_reread  what `--reread` does
void add_opcode_job(CLI::App& command, OpcodeJobOptions& options, const std::string& of_reread);

// Prints each stage of such a job, its progress, and at its end where its time went (docs/performance.md).
class StageProgress {
 public:
  //   started  when the job began
  //   threads  of the assemblers
  StageProgress(const GpuKind& kind, std::size_t threads, std::chrono::steady_clock::time_point started)
      : kind_(kind), threads_(threads), started_(started) {}
  run::OpcodeProgress calls();
  // The stages are over, and the files will be written.
  void finish();
  void files_are_written() const;

 private:
  double seconds() const;  // since the job began
  void print(const run::StageTimes& times) const;

  const GpuKind& kind_;
  std::size_t threads_;
  std::chrono::steady_clock::time_point started_;
  std::optional<Progress> progress_;
  double stages_ended_ = 0;
};

// Runs `measure` with the job of each kind of GPU and each toolchain: all of it but the worker that counts. The job's
// workers serve nothing else.
using MeasureJob = std::function<void(run::OpcodeJob& job, const GpuKind& kind, StageProgress& progress)>;
void for_each_job(const OpcodeJobOptions& options, const MeasureJob& measure);

// What --dry-run prints: cells of forms, each of which takes so long on one core.
void print_plan(const OpcodeJobOptions& options, const run::OpcodeJob& job, const std::vector<results::CellKey>& cells,
                double seconds_of_cell);

// Error{interrupted} if the job was not.
void require_completed(bool is_completed, const std::string& store);

}  // namespace ptxlat::cli
