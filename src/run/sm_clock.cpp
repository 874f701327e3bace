// SPDX-License-Identifier: Apache-2.0
#include "run/sm_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ptxlat::run {

namespace {

constexpr char kernel_name[] = "sm_clock";
constexpr double least_ns = 1e6;  // a shorter time is not the kernel's full spin: the timer's steps would matter

worker::LaunchBatch launches_of(Bytes cubin) {
  ptx::Launch launch;
  launch.threads = 1;
  return {std::move(cubin), {{kernel_name, launch, 5}}};
}

}  // namespace

std::optional<double> measure_sm_clock(worker::Worker& worker, const assemble::Toolchain& driver,
                                       const isa::Target& target, const ptx::Skeletons& skeletons) {
  const auto ptx = fmt::format(".version {}.{}\n.target {}\n.address_size 64\n{}", driver.ptx_major, driver.ptx_minor,
                               target.name(), ptx::fill(skeletons.sm_clock, {{"name", kernel_name}}));
  const auto module = worker.assemble(driver, ptx, target, 3);
  if (!module.cubin) return std::nullopt;
  const auto outcome = worker.launch(launches_of(*module.cubin)).front();
  if (outcome.status != ptx::LaunchStatus::ok) return std::nullopt;
  std::vector<double> clocks;
  for (std::size_t launch = 0; launch < outcome.readout.launches; ++launch) {
    const double cycles = outcome.readout.word(launch, 0, 0), ns = outcome.readout.word(launch, 0, 1);
    if (ns >= least_ns) clocks.push_back(1e3 * cycles / ns);
  }
  if (clocks.empty()) return std::nullopt;
  std::sort(clocks.begin(), clocks.end());
  return clocks[clocks.size() / 2];
}

}  // namespace ptxlat::run
