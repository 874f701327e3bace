// SPDX-License-Identifier: Apache-2.0
#include "memory/branch.h"

#include "base/error.h"
#include "catch.h"
#include "memory/infer.h"
#include "run/probes.h"

using namespace ptxlat;
using namespace ptxlat::memory;
using namespace ptxlat::run;
using Catch::Matchers::Contains;

namespace {

// A warp that follows a rule, but deviates for some masks.
class SimulatedWarp : public Machine {
 public:
  SimulatedWarp(std::function<bool(std::uint32_t)> takes_first) : takes_first_(std::move(takes_first)) {
    info_.kind = "branch";
    info_.space = "simt";
    info_.bytes = 2 * other_side;
    info_.operators = {"start"};
  }
  const MachineInfo& info() const override { return info_; }
  void prepare() override {}
  std::vector<double> access(const std::vector<Addresses>& list, const std::string&, int) override {
    std::vector<double> cycles;
    for (const auto& run : list) {
      for (std::uint64_t i = 0; i < run.count; ++i) {
        const bool is_taken = run.at(i) < other_side;
        cycles.push_back(takes_first_(static_cast<std::uint32_t>(run.at(i))) == is_taken ? 20 : 170);
      }
    }
    return cycles;
  }

 private:
  MachineInfo info_;
  std::function<bool(std::uint32_t)> takes_first_;
};

results::Fact rule_of(std::function<bool(std::uint32_t)> takes_first, std::uint64_t seed = 1) {
  SimulatedWarp warp(std::move(takes_first));
  const auto facts = memory::infer(warp, seed);
  REQUIRE(facts.size() == 2);
  CHECK(facts[1].quantity == "simt.two_way_cycles");
  CHECK(facts[1].value == "150");
  return facts[0];
}

}  // namespace

TEST_CASE("every rule of a two-way branch is recovered, and predicts masks drawn afterwards") {
  for (const auto& rule : branch_rules()) {
    const auto fact = rule_of(rule.takes_first);
    INFO(rule.name);
    CHECK(fact.quantity == "simt.two_way_rule");
    CHECK(fact.value == rule.name);
    CHECK(fact.verdict == results::FactVerdict::inferred);
    CHECK_THAT(fact.how, Contains("it predicted 200 of 200 that were drawn afterwards"));
  }
}

TEST_CASE("a warp that follows no rule known here is undetermined, with the best rule's score") {
  const auto fact = rule_of([](std::uint32_t mask) { return (mask * 2654435761u >> 31) != 0; });
  CHECK(fact.value.empty());
  CHECK_THAT(fact.how, Contains("no rule that is known here predicts all masks"));
}

TEST_CASE("a rule predicts the side of a mask") {
  const auto& quantity = predicting_quantity("simt.two_way_rule");
  CHECK(quantity.predict("more_lanes_first_tie_fallthrough", "0x0001ffff") == "taken");
  CHECK(quantity.predict("more_lanes_first_tie_fallthrough", "ffff") == "fallthrough");
  CHECK(quantity.predict("taken_first", "80000000") == "taken");
  CHECK(quantity.predict("lane_0_last", "1") == "fallthrough");
  for (const char* bad : {"", "0", "ffffffff", "12g", "100000000"})
    CHECK_THROWS_WITH(quantity.predict("taken_first", bad), Contains("is not a mask of some of 32 lanes"));
  CHECK_THROWS_WITH(quantity.predict("nothing_first", "1"), Contains("no such rule"));
  CHECK_THROWS_WITH(predicting_quantity("l1.ways"), Contains("is not a rule that predicts cases"));
}
