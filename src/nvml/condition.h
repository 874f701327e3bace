// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxlat::nvml {

// A process that has a context on a GPU.
//   name  its program; empty if the driver does not report it
struct Process {
  int pid = 0;
  std::string name;
  bool operator==(const Process&) const = default;
};

// NVML's report about a GPU at one moment; a field that it does not report is empty. Not every card has all of these,
// and some are not shown to every user.
//   problem             why nothing at all is known; empty otherwise
//   sees_all_processes  false in a container with its own process ids, which does not see other processes
//   clock_reasons       why the clocks are not higher, bits of nvmlClocksEventReasons
//   throttled_*_ns      for how long the clocks were lowered since the driver was loaded
struct Condition {
  std::string problem;
  std::optional<std::vector<Process>> processes;
  bool sees_all_processes = true;
  std::optional<bool> is_mig, has_mps_clients, drives_display, has_ecc;
  std::optional<std::uint64_t> uncorrected_errors;
  std::optional<std::uint64_t> clock_reasons;
  std::optional<std::uint64_t> throttled_by_power_ns, throttled_by_heat_ns;
};

// Asks NVML about the GPU with this UUID ("GPU-…"). Does not throw if NVML is missing, old or forbidden. It is driver
// code: only a worker process calls it.
Condition condition_of(const std::string& uuid);

}  // namespace ptxlat::nvml
