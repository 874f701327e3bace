// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "assemble/toolchain.h"
#include "gpu/device.h"
#include "isa/form.h"
#include "nvml/condition.h"

namespace ptxlat::run {

// Anything that may disturb a measurement, or that hides whether something does. No warning stops a run: the agreement
// of launches and processes proves cycles, and a warning says where to look if they do not agree.
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
  throttled,            // during the run
  clock_below_maximum,  // measured under load
  old_driver,           // its JIT supports an older PTX version than some forms need
  older_target,         // the code is of an older architecture than the GPU's
  relocatable_code,     // from the driver, whose code for whole programs cannot be had
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
//   own  the processes of this run that already have a context on the GPU
std::vector<Warning> warnings_before(const nvml::Condition& condition, const std::vector<int>& own);

// After a run: throttling since `before`, and the SM clock under load, in MHz, compared with the device's peak.
std::vector<Warning> warnings_after(const nvml::Condition& before, const nvml::Condition& after,
                                    const gpu::DeviceInfo& device, std::optional<double> sm_clock_mhz);

// Whether a program would get other code than the driver's table is made of.
std::vector<Warning> warnings_about_code(const assemble::CodeOrigin& origin, const assemble::Toolchain& toolchain);

// If the code is of an older architecture than the GPU.
//   target  "sm_120"
std::vector<Warning> warnings_about_target(const std::string& target, const gpu::DeviceInfo& device);

// Whether forms need a newer PTX version than the driver's JIT supports.
std::vector<Warning> warnings_about_driver(const std::vector<const isa::Form*>& forms,
                                           const assemble::Toolchain& driver, const gpu::DeviceInfo& device);

}  // namespace ptxlat::run
