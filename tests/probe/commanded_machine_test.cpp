// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "memory/prober.h"
#include "probe/machines.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Words = std::vector<std::uint64_t>;
using Cycles = std::vector<double>;

namespace {

constexpr std::uint64_t answers = 64;

// A GPU whose every access takes its address in cycles, and a thousand more for each number of its operator, by the
// contract of commanded kernels. A CTA executes commands if their launch's number is above all before it.
struct ObedientGpu {
  std::vector<ptx::Launch> launches;
  int without_cta = 0;  // launches that still find no CTA on the requested SM
  std::uint64_t claimed = 0;
  ptx::LaunchStatus status = ptx::LaunchStatus::ok;

  ptx::LaunchOutcome operator()(const ptx::Launch& launch) {
    launches.push_back(launch);
    ptx::LaunchOutcome outcome{status, "it trapped", {}};
    auto& readout = outcome.readout;
    readout.launches = readout.threads = 1;
    readout.words_per_thread = 2;
    const auto number = launch.parameters.at(2);
    const bool executes = without_cta == 0 && number > claimed;
    if (without_cta > 0) --without_cta;
    readout.words = {1, executes ? static_cast<std::uint32_t>(number) : 0};
    readout.buffers.assign(launch.buffers.at(1).read_words, 0);
    if (!executes) return outcome;
    claimed = number;
    for (std::size_t command = 0; command < launch.parameters.at(0); ++command) {
      const auto* words = &launch.input.at(4 * command);
      const memory::Addresses run{words[0], static_cast<std::int64_t>(words[1]), words[2]};
      const auto place = words[3] / 256;
      if (place == CommandedMachine::untimed) continue;
      for (std::uint64_t i = 0; i < run.count; ++i)
        readout.buffers.at(place + i) = static_cast<std::uint32_t>(run.at(i) + words[3] % 256 * 1000);
    }
    return outcome;
  }
};

struct Commanded {
  ObedientGpu gpu;
  std::uint64_t launches = 0;

  CommandedMachine machine(memory::Addresses flush = {1 << 20, 128, 4096}) {
    ptx::Launch launch;
    launch.buffers = {{1 << 20}, {4 * answers}, {128}};
    launch.parameters = {7};
    return {{"l2", "l2", 1 << 20, {"cg", "atom"}, 132, 0},
            flush,
            launch,
            [this](const ptx::Launch& l) { return gpu(l); },
            launches};
  }
  const ptx::Launch& last() const { return gpu.launches.back(); }
};

}  // namespace

TEST_CASE("commands are progressions with the places of their answers, the operator's number and the SM") {
  Commanded commanded;
  auto machine = commanded.machine();
  CHECK(machine.info().most_accesses == answers);
  CHECK(machine.access({{0, 128, 3}, {500, -100, 2}}, "cg", 17) == Cycles{0, 128, 256, 500, 400});
  const auto minus_100 = static_cast<std::uint64_t>(-100);
  CHECK(commanded.last().input == Words{0, 128, 3, 0, 500, minus_100, 2, 256 * 3});
  INFO("commands, SM and number come before the probe's own parameters");
  CHECK(commanded.last().parameters == Words{2, 17, 1, 7});
  CHECK(commanded.last().buffers[1].read_words == 5);
  CHECK(machine.access({{5, 0, 1}}, "atom", 0) == Cycles{1005});
  CHECK(commanded.last().parameters == Words{1, 0, 2, 7});
}

TEST_CASE("persistent memory is flushed by untimed accesses, and nothing is repeated") {
  Commanded commanded;
  auto machine = commanded.machine();
  machine.prepare();
  REQUIRE(commanded.gpu.launches.size() == 1);
  CHECK(commanded.last().input == Words{1 << 20, 128, 4096, 256 * CommandedMachine::untimed});
  CHECK(commanded.last().buffers[1].read_words == 0);
  machine.access({{0, 128, 2}}, "cg", 0);
  machine.access({{300, 0, 1}}, "cg", 5);
  CHECK(commanded.last().input == Words{300, 0, 1, 0});
}

TEST_CASE("an SM that had no CTA is asked again, a few times") {
  Commanded commanded;
  auto machine = commanded.machine();
  commanded.gpu.without_cta = 3;
  CHECK(machine.access({{40, 0, 1}}, "cg", 3) == Cycles{40});
  CHECK(commanded.gpu.launches.size() == 4);
  INFO("each time with a number of its own");
  CHECK(commanded.last().parameters[2] == 4);
  commanded.gpu.without_cta = 100;
  CHECK_THROWS_WITH(machine.access({{40, 0, 1}}, "cg", 3), "no CTA was placed on SM 3");
  CHECK(commanded.gpu.launches.size() == 8);
}

TEST_CASE("a failed launch is reported as such") {
  Commanded commanded;
  auto machine = commanded.machine();
  commanded.gpu.status = ptx::LaunchStatus::fault;
  CHECK_THROWS_AS(machine.access({{1, 0, 1}}, "cg", 0), LaunchFailed);
  commanded.gpu.status = ptx::LaunchStatus::ok;
  CHECK(machine.access({{2, 0, 1}}, "cg", 0) == Cycles{2});
  CHECK(commanded.last().parameters[0] == 1);
}

TEST_CASE("a second machine with the buffers of the first goes on with its numbers") {
  Commanded commanded;
  {
    auto first = commanded.machine();
    for (int i = 0; i < 3; ++i) first.access({{1, 0, 1}}, "cg", 0);
  }
  auto second = commanded.machine();
  CHECK(second.access({{2, 0, 1}}, "cg", 0) == Cycles{2});
  CHECK(commanded.gpu.launches.size() == 4);
}

TEST_CASE("more answers than the second buffer has room for are not asked of the GPU") {
  Commanded commanded;
  auto machine = commanded.machine();
  memory::Prober prober(machine, 1);
  CHECK(prober.access({{0, 1, answers}}).size() == answers);
  CHECK_THROWS_AS(prober.access({{0, 1, 1}}), memory::TooManyAccesses);
  CHECK(commanded.gpu.launches.size() == 1);
}
