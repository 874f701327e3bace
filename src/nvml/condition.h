// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxlat::nvml {

// A process that has a context on a GPU.
//   name  its program; empty where the driver does not tell
struct Process {
  int pid = 0;
  std::string name;
  bool operator==(const Process&) const = default;
};

// What NVML says of a GPU at one time; empty where it does not say. Many of these are not for every card, and some not
// for every user.
//   problem             why nothing at all is known; empty otherwise
//   sees_all_processes  false in a container with process ids of its own, to which others' are not shown
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

// Asks NVML about the GPU of this UUID ("GPU-…"). Throws nothing for what is missing, old or forbidden. It is driver
// code: only a worker process calls it.
Condition condition_of(const std::string& uuid);

}  // namespace ptxlat::nvml
