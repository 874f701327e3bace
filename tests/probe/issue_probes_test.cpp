// SPDX-License-Identifier: Apache-2.0

// The rules of the shipped probes, on what they would measure of multiprocessors that do not exist.
#include "../series/simulated_sm.h"
#include "catch.h"
#include "probe/points.h"
#include "probe/probe.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

// The fact that a shipped probe reads off a series. Its axes must be those of the probe.
results::Fact fact_of(const std::string& name, const std::string& quantity, const results::Series& series) {
  static const auto probes = probe::load_probes({fs::path(PTXLAT_SOURCE_DIR) / "ptx_templates" / "probes"});
  const auto probe = std::find_if(probes.begin(), probes.end(), [&](const auto& p) { return p.name == name; });
  REQUIRE(probe != probes.end());
  for (std::size_t i = 0; i < probe->axes.size(); ++i) CHECK(series.axes.at(i).name == probe->axes[i].name);
  const auto rule =
      std::find_if(probe->facts.begin(), probe->facts.end(), [&](const auto& r) { return r.quantity == quantity; });
  REQUIRE(rule != probe->facts.end());
  const auto facts = series::facts_of(*rule, series);
  REQUIRE(facts.size() == 1);
  return facts.front();
}

}  // namespace

TEST_CASE("the shipped probe of schedulers recovers the modulus of any multiprocessor") {
  for (const std::size_t modulus : {1, 2, 3, 4, 8}) {
    const auto fact = fact_of("scheduler", "scheduler.warp_modulus", series::pair_series({.modulus = modulus}));
    CHECK(fact.value == std::to_string(modulus));
    CHECK(fact.verdict == results::FactVerdict::inferred);
  }
}

TEST_CASE("the shipped probe of policies recovers each, wherever the four warps share a scheduler") {
  for (const std::size_t modulus : {1, 2, 4, 8}) {
    for (const char* policy : {"round_robin", "oldest", "youngest", "greedy_oldest", "greedy_youngest",
                               "greedy_longest_waiting", "greedy_shortest_waiting", "shortest_waiting"}) {
      const auto series = series::policy_series({.modulus = modulus, .policy = policy});
      INFO(policy << " " << modulus);
      CHECK(fact_of("scheduler_policy", "scheduler.policy", series).value == policy);
    }
  }
}

TEST_CASE("the shipped probe of rates tells a scheduler that issues two instructions from one that issues one") {
  for (const int width : {1, 2}) {
    const auto series = series::rate_series({.width = width, .intervals = {1, 1}}, 9);
    const auto rate = fact_of("issue_rate", "issue.per_clock", series);
    CHECK(*rate.low < width);
    CHECK(*rate.high > width);
    CHECK(fact_of("issue_rate", "issue.dual", series).value == std::to_string(width - 1));
  }
}

TEST_CASE("zeros and random numbers are multiplied by the same machine code") {
  const auto probes = probe::load_probes({fs::path(PTXLAT_SOURCE_DIR) / "ptx_templates" / "probes"});
  const std::string name = GENERATE("tensor_rate", "wgmma_rate");
  const auto probe = std::find_if(probes.begin(), probes.end(), [&](const auto& p) { return p.name == name; });
  REQUIRE(probe != probes.end());
  const auto points = probe::points_of(*probe, {{"sms", 132}});
  REQUIRE(points.size() == 2);
  CHECK(points[0].trial.kernel.text == points[1].trial.kernel.text);
  CHECK(points[0].trial.launch.parameters != points[1].trial.launch.parameters);
}
