// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/gpus.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "run/opcodes.h"

namespace ptxlat::cli {

// The options of the commands that run patched code, made from the selected forms: `opcodes` and `pairs`.
struct OpcodeJobOptions {
  Selection selection;
  int level = 3;
  std::string devices = "0";
  int threads = 0;  // 0: two per core
  std::string store = "ptxlat.sqlite";
  std::string tables = "tables";
  std::string format = "text";
  std::string reread;
};
//   of_reread  what `--reread` does
void add_opcode_job(CLI::App& command, OpcodeJobOptions& options, const std::string& of_reread);

// Runs `measure` with the job of each kind of GPU and each toolchain: all of it but the worker that counts. The job's
// workers serve nothing else.
using MeasureJob = std::function<void(run::OpcodeJob& job, const GpuKind& kind)>;
void for_each_job(const OpcodeJobOptions& options, const MeasureJob& measure);

// Prints each stage of such a job and its progress.
class StageProgress {
 public:
  explicit StageProgress(const GpuKind& kind) : kind_(kind) {}
  run::OpcodeProgress calls();
  // Ends the line on a terminal.
  void finish() { progress_->finish(); }

 private:
  const GpuKind& kind_;
  std::optional<Progress> progress_;
};

// Error{interrupted} if the job was not.
void require_completed(bool is_completed, const std::string& store);

}  // namespace ptxlat::cli
