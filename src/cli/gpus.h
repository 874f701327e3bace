// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "base/error.h"
#include "line/kernel_assembler.h"
#include "nvml/condition.h"
#include "run/gpu_runs.h"
#include "run/warnings.h"
#include "worker/worker.h"

namespace ptxlat::cli {

// Prints the warnings on standard error and returns them as in run.json.
std::vector<std::string> printed(const std::vector<run::Warning>& warnings);

// Notes in the run how its assemblers make code, and warns if programs get other code.
void note_code(results::Run& run, line::KernelAssembler& assembler, const assemble::Toolchain& toolchain);

// Checks a GPU before and after a run for anything that may have disturbed it.
class GpuWatch {
 public:
  // The check before the run. `worker` may have the device open; no other process of this run may.
  GpuWatch(const worker::WorkerOptions& options, const gpu::DeviceInfo& device, const worker::Worker& worker);

  std::vector<run::Warning> at_start() const;
  std::vector<run::Warning> at_end(std::optional<double> sm_clock_mhz) const;

 private:
  worker::WorkerOptions options_;
  gpu::DeviceInfo device_;
  int own_process_;
  nvml::Condition before_;
};

// Adds `--devices`, also spelled `--device`.
void add_devices(CLI::App& command, std::string& devices);

// An open GPU, and anything that may disturb its measurements.
struct OpenGpu {
  explicit OpenGpu(const worker::WorkerOptions& with) : options(with), worker(with) {}

  worker::WorkerOptions options;
  worker::Worker worker;
  gpu::DeviceInfo device;
  std::optional<GpuWatch> watch;
  std::vector<std::string> warnings;  // that were printed when it was opened
};

// GPUs of one kind, by their numbers; never empty.
struct GpuKind {
  std::vector<std::unique_ptr<OpenGpu>> gpus;

  OpenGpu& first() const { return *gpus.front(); }
  std::vector<worker::Worker*> workers() const;
  std::vector<run::FurtherGpu> further() const;
  // For assemblers: the driver of the first GPU, or, if that dies, of the next.
  worker::WorkerOptions options() const;
};

// Opens the GPUs that `--devices` names ("0", "0,2", "all"), with workers like this one, and prints what disturbs them.
// Error{no_gpu} if one of those named cannot be opened; with "all", which leaves out such a GPU, if none can.
std::vector<GpuKind> open_gpus(const std::string& devices, const worker::WorkerOptions& options);
std::vector<GpuKind> open_gpus(const std::string& devices);

// Prints that a GPU no longer answers, and returns that as a warning of its run.
std::string report_lost(const OpenGpu& gpu, const Error& why);

}  // namespace ptxlat::cli
