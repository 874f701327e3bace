// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nvml/condition.h"
#include "run/warnings.h"
#include "worker/worker.h"

namespace ptxlat::cli {

// Prints the warnings on standard error and returns them as in run.json.
std::vector<std::string> printed(const std::vector<run::Warning>& warnings);

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

}  // namespace ptxlat::cli
