// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <random>

#include "catch.h"
#include "series/places.h"

using namespace ptxlat::series;
using Catch::Matchers::Contains;
using ptxlat::results::FactVerdict;

namespace {

// GPUs whose clocks began at different times, one per domain; a reading is up to `late` cycles late.
struct SimulatedClocks {
  std::vector<std::vector<std::size_t>> domains;  // SMs, each in the order of their lowest
  std::vector<std::vector<double>> readings;      // [sm][tick]
};
SimulatedClocks simulate(std::uint64_t seed, double skew) {
  constexpr int ticks = 64, interval = 8111, late = 40;
  std::mt19937_64 random(seed);
  const std::size_t sms = 8 + random() % 125, count = 1 + random() % 8;
  SimulatedClocks gpu;
  std::vector<std::vector<std::size_t>> members(count);
  std::vector<double> began;
  for (std::size_t domain = 0; domain < count; ++domain)
    began.push_back(static_cast<double>(domain * 400'000'000 + random() % 100'000'000));
  for (std::size_t sm = 0; sm < sms; ++sm) {
    const auto domain = random() % count;
    members[domain].push_back(sm);
    auto& of_sm = gpu.readings.emplace_back();
    const double own = skew * static_cast<double>(random() % 3) / 2;
    for (int tick = 0; tick < ticks; ++tick) {
      const double clock = began[domain] + own + 4e9 + tick * interval + static_cast<double>(random() % late);
      of_sm.push_back(std::fmod(clock, 4294967296.0));
    }
  }
  std::erase_if(members, [](const auto& of_domain) { return of_domain.empty(); });
  std::sort(members.begin(), members.end());
  gpu.domains = members;
  return gpu;
}

}  // namespace

TEST_CASE("the domains of clocks are found on any GPU, whose 32-bit clocks may wrap and are read late") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto gpu = simulate(seed, 0);
    const auto found = domains_of(gpu.readings);
    INFO("seed " << seed);
    CHECK(found.why.empty());
    CHECK(found.sms == gpu.domains);
    CHECK(found.skew <= 12);
  }
}

TEST_CASE("clocks of a domain that differ by a few cycles are still one domain, and the skew is theirs") {
  const auto gpu = simulate(7, 10);
  const auto found = domains_of(gpu.readings);
  CHECK(found.sms == gpu.domains);
  CHECK(found.skew >= 6);
  CHECK(found.skew <= 16);
}

TEST_CASE("an SM that has not read its clock leaves the domains undetermined") {
  const auto gpu = simulate(3, 0);
  ptxlat::results::Series series{"clock", "cycles", {{"sm", "", {}, {}}, {"tick", "", {}, {}}}, {}};
  series.axes[0].values.resize(gpu.readings.size());
  series.axes[1].values.resize(gpu.readings.front().size());
  SeriesGroup group;
  for (std::size_t sm = 0; sm < gpu.readings.size(); ++sm) {
    for (std::size_t tick = 0; tick < gpu.readings[sm].size(); ++tick)
      group.points.push_back({{sm, tick}, sm == 5 ? 0 : gpu.readings[sm][tick]});
  }
  const auto found = find_domains(series, group, 4);
  REQUIRE(found.size() == 3);
  CHECK_FALSE(found[0].value);
  CHECK_THAT(found[0].more, Contains("not every SM"));
}

TEST_CASE("the step of a counter divides all its differences, and those that were held out") {
  const Curve steps{{0, 1, 2, 3, 4, 5}, {64, 32, 96, 64, 160, 32}};
  const auto found = find_common_divisor(steps);
  REQUIRE(found.value);
  CHECK(*found.value == 32);
  CHECK(found.verdict == FactVerdict::inferred);
  const auto broken = find_common_divisor({{0, 1, 2, 3}, {64, 33, 96, 64}});
  CHECK_FALSE(broken.value);
  CHECK_THAT(broken.more, Contains("32 divides 1 of 2 other values"));
}
