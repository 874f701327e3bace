// SPDX-License-Identifier: Apache-2.0
#include "run/counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "counters/find.h"

namespace ptxlat::run {

namespace {

// Throws Unavailable unless the opened counters count a kernel that only exits.
void require_counts(worker::Worker& worker) {
  constexpr int known_to_all = 80;  // JITs of CUDA 11 to 13 accept it
  const int sm = worker.device_info().sm;
  const auto ptx = fmt::format(".version 7.0\n.target sm_{}\n.address_size 64\n.visible .entry nothing() {{ ret; }}\n",
                               std::min(sm, known_to_all));
  const assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver", {}, {}, 0, 0};
  const auto kernel = worker.assemble(driver, ptx, {sm, {}}, 3);
  if (!kernel.cubin) throw counters::Unavailable("the driver cannot assemble an empty kernel: " + kernel.log, {});
  ptx::Launch launch;
  launch.output_words.clear();
  const auto outcome = worker.count({worker::LaunchBatch{*kernel.cubin, {{"nothing", launch, 1}}}}).front();
  if (outcome.launch.status != ptx::LaunchStatus::ok) throw counters::Unavailable(outcome.launch.message, {});
  if (outcome.counts.executed <= 0)
    throw counters::Unavailable("it counts nothing with this driver", counters::library_advice());
}

}  // namespace

counters::Offer open_counters(worker::Worker& worker) {
  std::vector<std::string> reasons;
  for (const auto& library : counters::cupti_libraries()) {
    try {
      auto offer = worker.open_counters(library);
      require_counts(worker);
      return offer;
    } catch (const counters::Unavailable& error) {
      if (error.exit_code == ExitCode::no_gpu) throw;
      reasons.push_back(fmt::format("{}: {}", library.string(), error.what()));
    }
  }
  throw counters::Unavailable(reasons.empty() ? "no libcupti was found" : fmt::format("{}", fmt::join(reasons, "; ")),
                              counters::library_advice());
}

}  // namespace ptxlat::run
