// SPDX-License-Identifier: Apache-2.0
#include "run/warnings.h"

#include "catch.h"
#include "nvml/nvml_api.h"

using namespace ptxlat;
using run::WarningKind;

namespace {

// An idle GPU of which everything is known.
nvml::Condition quiet() {
  nvml::Condition condition;
  condition.processes.emplace();
  condition.is_mig = condition.has_mps_clients = condition.drives_display = false;
  condition.has_ecc = true;
  condition.uncorrected_errors = 0;
  condition.clock_reasons = nvml::nvmlClocksEventReasonGpuIdle;
  condition.throttled_by_power_ns = condition.throttled_by_heat_ns = 1000;
  return condition;
}

std::vector<WarningKind> kinds(const std::vector<run::Warning>& warnings) {
  std::vector<WarningKind> kinds;
  for (const auto& warning : warnings) {
    CHECK_FALSE(warning.sentence.empty());
    CHECK_FALSE(warning.action.empty());
    kinds.push_back(warning.kind);
  }
  return kinds;
}

using Kinds = std::vector<WarningKind>;

}  // namespace

TEST_CASE("an idle GPU that nobody shares gives no warning") {
  CHECK(run::warnings_before(quiet(), {}).empty());
  gpu::DeviceInfo device;
  device.sm_clock_khz = 1980000;
  CHECK(run::warnings_after(quiet(), quiet(), device, 1979.9).empty());
  CHECK(run::warnings_after(quiet(), quiet(), device, std::nullopt).empty());
}

TEST_CASE("each kind of disturbance has its own warning") {
  auto condition = quiet();
  condition.is_mig = true;
  CHECK(kinds(run::warnings_before(condition, {})) == Kinds{WarningKind::shared_by_mig});
  condition = quiet();
  condition.has_mps_clients = true;
  CHECK(kinds(run::warnings_before(condition, {})) == Kinds{WarningKind::shared_by_mps});
  condition = quiet();
  condition.drives_display = true;
  CHECK(kinds(run::warnings_before(condition, {})) == Kinds{WarningKind::drives_display});
  condition = quiet();
  condition.has_ecc = false;
  CHECK(kinds(run::warnings_before(condition, {})) == Kinds{WarningKind::ecc_is_off});
  condition = quiet();
  condition.uncorrected_errors = 2;
  CHECK(kinds(run::warnings_before(condition, {})) == Kinds{WarningKind::ecc_errors});
  condition = quiet();
  condition.clock_reasons = nvml::nvmlClocksEventReasonSwPowerCap | nvml::nvmlClocksEventReasonSwThermalSlowdown;
  const auto limited = run::warnings_before(condition, {});
  CHECK(kinds(limited) == Kinds{WarningKind::clocks_limited});
  CHECK(limited.front().sentence == "The clocks are limited by the power limit, heat");
}

TEST_CASE("what NVML does not report is not a warning, but a missing NVML is one") {
  auto condition = quiet();
  condition.has_ecc.reset();
  condition.drives_display.reset();
  condition.is_mig.reset();
  condition.clock_reasons.reset();
  CHECK(run::warnings_before(condition, {}).empty());
  nvml::Condition missing;
  missing.problem = "libnvidia-ml.so.1: cannot open shared object file";
  const auto warnings = run::warnings_before(missing, {});
  CHECK(kinds(warnings) == Kinds{WarningKind::nothing_known});
  CHECK(text_of(warnings.front()).find("throttled: libnvidia-ml.so.1") != std::string::npos);
}

TEST_CASE("processes of the run itself are not other processes") {
  auto condition = quiet();
  condition.processes = {{100, "ptxlat"}, {4711, "trainer"}};
  const auto warnings = run::warnings_before(condition, {100});
  CHECK(kinds(warnings) == Kinds{WarningKind::other_process});
  CHECK(warnings.front().sentence == "1 other process is on this GPU: trainer (4711)");
  CHECK(run::warnings_before(condition, {100, 4711}).empty());
}

TEST_CASE("in a container other processes are unknown, unless more are listed than the run has") {
  auto condition = quiet();
  condition.sees_all_processes = false;
  CHECK(kinds(run::warnings_before(condition, {100})) == Kinds{WarningKind::processes_unknown});
  condition.processes = {{31337, ""}};  // the run's own, by its number outside
  CHECK(kinds(run::warnings_before(condition, {100})) == Kinds{WarningKind::processes_unknown});
  condition.processes = {{31337, ""}, {31338, ""}};
  CHECK(kinds(run::warnings_before(condition, {100})) == Kinds{WarningKind::other_process});
  condition.processes = {{100, "ptxlat"}, {31338, ""}};
  CHECK(kinds(run::warnings_before(condition, {100})) == Kinds{WarningKind::other_process});
  condition = quiet();
  condition.processes.reset();  // the driver does not tell
  CHECK(kinds(run::warnings_before(condition, {100})) == Kinds{WarningKind::processes_unknown});
}

TEST_CASE("throttling during a run and a clock far below the maximum are seen after it") {
  gpu::DeviceInfo device;
  device.sm_clock_khz = 2000000;
  auto after = quiet();
  after.throttled_by_power_ns = 5'001'000;
  const auto warnings = run::warnings_after(quiet(), after, device, 1500.0);
  CHECK(kinds(warnings) == Kinds{WarningKind::throttled, WarningKind::clock_below_maximum});
  CHECK(warnings[0].sentence == "The clocks were lowered for 5.0 ms during the run, by the power limit");
  CHECK(warnings[1].sentence == "The SMs ran at 1500 MHz, 75 % of their maximum");
}

TEST_CASE("a driver whose JIT is older than the chosen forms is named with what they need") {
  isa::Form old_form, new_form;
  old_form.requirement.ptx_major = 7;
  old_form.requirement.ptx_minor = 0;
  new_form.requirement.ptx_major = 8;
  new_form.requirement.ptx_minor = 6;
  gpu::DeviceInfo device;
  device.driver_version = "535.1";
  assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver-535.1", "535.1", {}, 8, 2};
  CHECK(run::warnings_about_driver({&old_form}, driver, device).empty());
  const auto warnings = run::warnings_about_driver({&old_form, &new_form}, driver, device);
  CHECK(kinds(warnings) == Kinds{WarningKind::old_driver});
  CHECK(warnings.front().sentence == "The JIT of driver 535.1 supports PTX 8.2, but 1 form needs up to 8.6");
}
