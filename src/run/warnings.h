// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "gpu/device.h"
#include "isa/form.h"
#include "nvml/condition.h"

namespace ptxlat::run {

// What may disturb a measurement, or hides whether something does. None stops a run: cycles are proven by agreement of
// launches and processes, and a warning tells where to look when they do not agree.
enum class WarningKind {
  nothing_known,      // NVML is missing, old or forbidden
  other_process,      // has a context on the GPU
  processes_unknown,  // hidden by a container or by the driver
  shared_by_mig,
  shared_by_mps,
  drives_display,
  ecc_is_off,
  ecc_errors,           // uncorrected, since the driver was loaded
  clocks_limited,       // now, for a reason other than idleness
  throttled,            // while the run was on
  clock_below_maximum,  // measured under load
  old_driver,           // its JIT knows an older PTX than forms of the catalogue need
};

struct Warning {
  WarningKind kind;
  std::string sentence;
  std::string action;
  bool operator==(const Warning&) const = default;
};

// "Sentence. Action."
std::string text_of(const Warning& warning);

// Before a run.
//   own  the processes of this run that have a context on the GPU already
std::vector<Warning> warnings_before(const nvml::Condition& condition, const std::vector<int>& own);

// After a run: throttling since `before`, and the SMs' clock under load, in MHz, beside the device's peak.
std::vector<Warning> warnings_after(const nvml::Condition& before, const nvml::Condition& after,
                                    const gpu::DeviceInfo& device, std::optional<double> sm_clock_mhz);

// Whether forms need a newer PTX than the driver's JIT knows.
std::vector<Warning> warnings_about_driver(const std::vector<const isa::Form*>& forms,
                                           const assemble::Toolchain& driver, const gpu::DeviceInfo& device);

}  // namespace ptxlat::run
