// SPDX-License-Identifier: Apache-2.0
#include "run/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/environment.h"
#include "isa/target.h"
#include "nvml/nvml_api.h"

namespace ptxlat::run {

namespace {

std::vector<std::string> limits_named(std::uint64_t reasons) {
  constexpr std::pair<std::uint64_t, const char*> names[] = {
      {nvml::nvmlClocksEventReasonApplicationsClocksSetting, "a clock set by hand"},
      {nvml::nvmlClocksEventReasonSwPowerCap, "the power limit"},
      {nvml::nvmlClocksThrottleReasonHwSlowdown, "a hardware slowdown"},
      {nvml::nvmlClocksEventReasonSyncBoost, "a group of GPUs with one clock"},
      {nvml::nvmlClocksEventReasonSwThermalSlowdown, "heat"},
      {nvml::nvmlClocksThrottleReasonHwThermalSlowdown, "heat (hardware)"},
      {nvml::nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "the power brake of the power supply"},
      {nvml::nvmlClocksEventReasonDisplayClockSetting, "a display"},
  };
  std::vector<std::string> limits;
  for (const auto& [bit, name] : names) {
    if (reasons & bit) limits.emplace_back(name);
  }
  return limits;
}

// The processes that do not belong to this run. If their ids come from a different namespace, ours cannot be
// recognised: then as many as we have are assumed to be ours.
std::vector<nvml::Process> others_of(const nvml::Condition& condition, const std::vector<int>& own) {
  auto processes = *condition.processes;
  const auto is_own = [&](const nvml::Process& process) {
    return std::find(own.begin(), own.end(), process.pid) != own.end();
  };
  const auto known = static_cast<std::size_t>(std::count_if(processes.begin(), processes.end(), is_own));
  std::erase_if(processes, is_own);
  const auto unseen =
      condition.sees_all_processes ? 0 : std::min(processes.size(), own.size() - std::min(known, own.size()));
  processes.resize(processes.size() - unseen);
  return processes;
}

void warn_of_processes(const nvml::Condition& condition, const std::vector<int>& own, std::vector<Warning>& warnings) {
  const auto others = condition.processes ? others_of(condition, own) : std::vector<nvml::Process>();
  if (!others.empty()) {
    std::vector<std::string> names;
    for (const auto& process : others)
      names.push_back(process.name.empty() ? fmt::format("{}", process.pid)
                                           : fmt::format("{} ({})", process.name, process.pid));
    warnings.push_back({WarningKind::other_process,
                        fmt::format("{} other process{} on this GPU: {}", others.size(),
                                    others.size() == 1 ? " is" : "es are", fmt::join(names, ", ")),
                        "Stop the processes that compute there, or choose another GPU with --device"});
  } else if (!condition.processes || !condition.sees_all_processes) {
    warnings.push_back({WarningKind::processes_unknown,
                        "It is unknown whether other processes use this GPU: " +
                            std::string(condition.processes ? "a container only sees its own" : "NVML does not say"),
                        "`nvidia-smi` on the host shows them"});
  }
}

}  // namespace

std::string text_of(const Warning& warning) { return fmt::format("{}. {}.", warning.sentence, warning.action); }

std::vector<Warning> warnings_before(const nvml::Condition& condition, const std::vector<int>& own) {
  if (!condition.problem.empty()) {
    return {{WarningKind::nothing_known, "It is unknown whether the GPU is shared or throttled: " + condition.problem,
             "NVML (libnvidia-ml.so.1) comes with the driver; containers need the driver capability `utility`"}};
  }
  std::vector<Warning> warnings;
  warn_of_processes(condition, own, warnings);
  if (condition.is_mig == true)
    warnings.push_back(
        {WarningKind::shared_by_mig,
         "MIG is on: this is only a part of a GPU, and its memory system differs from that of a whole one",
         "Measure on a whole GPU if memory latencies matter"});
  if (condition.has_mps_clients == true)
    warnings.push_back({WarningKind::shared_by_mps, "Processes share this GPU through MPS",
                        "Measure without them: kernels of other clients run on the same SMs"});
  if (condition.drives_display == true)
    warnings.push_back({WarningKind::drives_display, "This GPU drives a display, which interrupts kernels",
                        "Choose another GPU with --device, or measure without a desktop"});
  if (condition.has_ecc == false)
    warnings.push_back({WarningKind::ecc_is_off, "ECC is off; memory may be slower with it on",
                        "Compare memory latencies only with cards that have the same setting"});
  if (condition.uncorrected_errors.value_or(0) > 0)
    warnings.push_back({WarningKind::ecc_errors,
                        fmt::format("The memory has had {} uncorrected errors since the driver was loaded",
                                    *condition.uncorrected_errors),
                        "Do not trust this card; `nvidia-smi -q -d ECC` says more"});
  if (const auto limits = limits_named(condition.clock_reasons.value_or(0)); !limits.empty())
    warnings.push_back({WarningKind::clocks_limited,
                        fmt::format("The clocks are limited by {}", fmt::join(limits, ", ")),
                        "Cycles inside an SM do not depend on this, but those of memory and all times in ns do"});
  return warnings;
}

std::vector<Warning> warnings_after(const nvml::Condition& before, const nvml::Condition& after,
                                    const gpu::DeviceInfo& device, std::optional<double> sm_clock_mhz) {
  std::vector<Warning> warnings;
  constexpr double ns_per_ms = 1e6;
  const auto throttled = [&](const auto& from, const auto& to, const char* why) {
    if (!from || !to || *to <= *from) return;
    warnings.push_back({WarningKind::throttled,
                        fmt::format("The clocks were lowered for {:.1f} ms during the run, by {}",
                                    static_cast<double>(*to - *from) / ns_per_ms, why),
                        "Cool the card or let it rest, and measure latencies that leave the SM again"});
  };
  throttled(before.throttled_by_power_ns, after.throttled_by_power_ns, "the power limit");
  throttled(before.throttled_by_heat_ns, after.throttled_by_heat_ns, "heat");
  constexpr double far_below = 0.9;
  const double peak_mhz = device.sm_clock_khz / 1e3;
  if (sm_clock_mhz && *sm_clock_mhz < far_below * peak_mhz)
    warnings.push_back({WarningKind::clock_below_maximum,
                        fmt::format("The SMs ran at {:.0f} MHz, {:.0f} % of their maximum", *sm_clock_mhz,
                                    100 * *sm_clock_mhz / peak_mhz),
                        "Latencies that leave the SM are lower in cycles than at full clock: compare like with like"});
  return warnings;
}

std::vector<Warning> warnings_about_code(const assemble::CodeOrigin& origin, const assemble::Toolchain& toolchain) {
  if (origin.is_whole_program || toolchain.kind != assemble::ToolchainKind::driver) return {};
  return {{WarningKind::relocatable_code,
           "The driver's code is relocatable and not what programs get: its fences, calls and slow paths are others (" +
               origin.way + ")",
           "Get libcupti with `" + toolkits_script() + " cupti`, or use --toolchain ptxas"}};
}

std::vector<Warning> warnings_about_target(const std::string& target, const gpu::DeviceInfo& device) {
  const auto assembled = isa::target_from_name(target);
  if (!assembled || assembled->sm == device.sm) return {};
  return {{WarningKind::older_target,
           fmt::format("The machine code is of {}, which runs on sm_{}: nothing here makes and reads sm_{}'s own",
                       target, device.sm, device.sm),
           "A newer CUDA may: " + toolkits_script() + " latest"}};
}

std::vector<Warning> warnings_about_driver(const std::vector<const isa::Form*>& forms,
                                           const assemble::Toolchain& driver, const gpu::DeviceInfo& device) {
  const std::pair known(driver.ptx_major, driver.ptx_minor);
  auto newest = known;
  std::size_t count = 0;
  for (const auto* form : forms) {
    const std::pair needed(form->requirement.ptx_major, form->requirement.ptx_minor);
    if (needed <= known) continue;
    ++count;
    newest = std::max(newest, needed);
  }
  if (count == 0) return {};
  return {{WarningKind::old_driver,
           fmt::format("The JIT of driver {} supports PTX {}.{}, but {} form{} up to {}.{}", device.driver_version,
                       known.first, known.second, count, count == 1 ? " needs" : "s need", newest.first, newest.second),
           "They will be unsupported; use a newer driver, or --toolchain ptxas of a newer CUDA"}};
}

}  // namespace ptxlat::run
