// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "catch.h"
#include "memory/prober.h"
#include "probe/machines.h"

using namespace ptxlat;
using namespace ptxlat::probe;

namespace {

// A GPU whose every access takes its address in cycles, by the contract of traced kernels.
struct EchoingGpu {
  std::vector<ptx::Launch> launches;
  ptx::LaunchStatus status = ptx::LaunchStatus::ok;

  ptx::LaunchOutcome operator()(const ptx::Launch& launch) {
    launches.push_back(launch);
    ptx::LaunchOutcome outcome{status, "it trapped", {}};
    outcome.readout.launches = 1;
    outcome.readout.threads = 512;
    outcome.readout.words_per_thread = launch.output_words.size();
    for (std::size_t i = 0; i < 512 * launch.output_words.size(); ++i)
      outcome.readout.words.push_back(i < launch.parameters.front() ? static_cast<std::uint32_t>(launch.input[i]) : 0);
    return outcome;
  }
};

TracedMachine machine_of(EchoingGpu& gpu) {
  ptx::Launch launch;
  launch.threads = 512;
  launch.output_words = {0, 1, 2, 3, 4, 5, 6, 7};
  launch.parameters = {7};
  return {{"cache", "l1", 1 << 20, {}, 1, 0}, launch, [&gpu](const ptx::Launch& l) { return gpu(l); }};
}

}  // namespace

TEST_CASE("each answer is a launch with all that was accessed since prepare, and has the new accesses only") {
  EchoingGpu gpu;
  auto machine = machine_of(gpu);
  machine.prepare();
  CHECK(machine.access({{0, 128, 20}}, "", 0).back() == 19 * 128);
  CHECK(machine.access({{5, 0, 1}, {300, -100, 3}}, "", 0) == std::vector<double>{5, 300, 200, 100});
  REQUIRE(gpu.launches.size() == 2);
  CHECK(gpu.launches[0].parameters == std::vector<std::uint64_t>{20, 7});
  CHECK(gpu.launches[1].parameters == std::vector<std::uint64_t>{24, 7});
  CHECK(gpu.launches[1].input.size() == accesses_per_launch);
  machine.prepare();
  CHECK(machine.access({{9, 0, 1}}, "", 0) == std::vector<double>{9});
  CHECK(gpu.launches[2].parameters.front() == 1);
}

TEST_CASE("no more than a launch holds is requested from the GPU, and a failed launch is reported as such") {
  EchoingGpu gpu;
  auto machine = machine_of(gpu);
  memory::Prober prober(machine, 1);
  CHECK(machine.info().most_accesses == accesses_per_launch);
  CHECK(prober.access({{0, 1, accesses_per_launch}}).size() == accesses_per_launch);
  CHECK_THROWS_AS(prober.access({{0, 1, 1}}), memory::TooManyAccesses);
  CHECK(gpu.launches.size() == 1);
  prober.prepare();
  gpu.status = ptx::LaunchStatus::fault;
  CHECK_THROWS_AS(prober.access({{0, 1, 1}}), LaunchFailed);
}
