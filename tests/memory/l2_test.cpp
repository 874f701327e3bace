// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdlib>
#include <map>
#include <sstream>

#include "catch.h"
#include "memory/infer.h"
#include "memory/l2_slices.h"
#include "memory/machine.h"
#include "simulated_l2.h"

using namespace ptxlat;
using namespace ptxlat::memory;
using results::FactVerdict;

namespace {

using Facts = std::map<std::string, results::Fact>;

Facts facts_of(Machine& machine, std::uint64_t seed) {
  Facts facts;
  for (const auto& fact : memory::infer(machine, seed))
    facts[fact.quantity.substr(3) + (fact.condition.empty() ? "" : " " + fact.condition)] = fact;
  return facts;
}

struct L2Outcome {
  int checked = 0, undetermined = 0, wrong = 0;
  std::string report;

  void check(const Facts& facts, const std::string& quantity, const std::string& expected) {
    const auto found = facts.find(quantity);
    note(found == facts.end() ? results::Fact{} : found->second, quantity, expected,
         found != facts.end() && found->second.value == expected);
  }
  void check_about(const Facts& facts, const std::string& quantity, double expected, double tolerance) {
    const auto& fact = facts.at(quantity);
    const bool is_right = !fact.value.empty() && std::abs(std::stod(fact.value) - expected) <= tolerance * expected;
    note(fact, quantity, fmt::format("{}", expected), is_right);
  }
  void note(const results::Fact& fact, const std::string& quantity, const std::string& expected, bool is_right) {
    ++checked;
    if (is_right) return;
    ++(fact.value.empty() ? undetermined : wrong);
    report += fmt::format("  {} {}, found \"{}\" {} ({})\n", quantity, expected, fact.value,
                          results::to_string(fact.verdict), fact.how);
  }
};

void check_l2(const L2Geometry& l2, std::uint64_t seed, L2Outcome& outcome) {
  SimulatedL2 machine(l2, seed);
  const auto begin = std::chrono::steady_clock::now();
  const auto facts = facts_of(machine, seed);
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.report += fmt::format(
      "machine {}: {} partitions of {} slices of {} sets of {} ways of {} bytes, {}, fetches {}, granule {}, mask "
      "{:#x} "
      "of {}, {} SMs, {:.1f} s, {} calls, {} accesses\n",
      seed, l2.partitions, l2.slices, l2.sets, l2.ways, l2.line_bytes, l2.policy, l2.fetch_bytes, l2.slice_granule,
      l2.home_mask, l2.page_bytes, l2.sms, seconds, machine.calls(), machine.accesses());
  outcome.check(facts, "sector_bytes", l2.partitions == 2 ? "32" : fmt::format("{}", l2.fetch_bytes));
  outcome.check(facts, "fetch_bytes modifier=none", fmt::format("{}", l2.fetch_bytes));
  outcome.check(facts, "fetch_bytes modifier=64", "64");
  outcome.check(facts, "fetch_bytes modifier=128", "128");
  outcome.check(facts, "fetch_bytes modifier=256", "256");
  outcome.check(facts, "line_bytes", fmt::format("{}", l2.line_bytes));
  outcome.check(facts, "slices", fmt::format("{}", l2.partitions * l2.slices));
  // Lines of two homes are in different slices.
  const std::uint64_t home_granule = std::uint64_t{1} << (l2.partitions == 1 ? 63 : std::countr_zero(l2.home_mask));
  outcome.check(facts, "slice_granule", fmt::format("{}", std::min(l2.slice_granule, home_granule)));
  outcome.check(facts, "ways", fmt::format("{}", l2.ways));
  outcome.check(facts, "policy", l2.policy);
  outcome.check_about(facts, "near_hit", l2.near_hit, 0.05);
  outcome.check_about(facts, "miss_near", l2.near_hit + l2.miss, 0.05);
  outcome.check_about(facts, "total_capacity", static_cast<double>(l2.near_bytes()) * l2.partitions, 0.08);
  if (l2.partitions == 2) {
    std::string sides;
    for (const int side : l2.side_of_sm)
      sides += fmt::format("{}{}", sides.empty() ? "" : " ", side ^ l2.side_of_sm[0]);
    if (!l2.side_of_sm.empty()) outcome.check(facts, "sm_sides", sides);
    outcome.check(facts, "home_mask", fmt::format("{:#x}", l2.home_mask));
    outcome.check_about(facts, "far_first_read", l2.near_hit + l2.far, 0.05);
    outcome.check_about(facts, "miss_far", l2.near_hit + l2.far + l2.miss, 0.05);
    outcome.check_about(facts, "near_capacity", static_cast<double>(l2.near_bytes()), 0.08);
  } else {
    CHECK(facts.at("home_mask").verdict == FactVerdict::undetermined);
    CHECK(facts.at("far_first_read").verdict == FactVerdict::undetermined);
  }
  CHECK(machine.calls() < 20'100);
  CHECK(machine.accesses() <= 8'000'000);
}

}  // namespace

TEST_CASE("an L2 of two partitions gives back its geometry") {
  L2Outcome outcome;
  check_l2({}, 1, outcome);
  INFO(outcome.report);
  CHECK(outcome.wrong == 0);
  CHECK(outcome.undetermined == 0);
}

TEST_CASE("random L2s give back their geometry") {
  const char* wanted = std::getenv("PTXLAT_TEST_L2S");
  const char* first = std::getenv("PTXLAT_TEST_FIRST");
  L2Outcome outcome;
  for (int i = first ? std::atoi(first) : 0; i < (wanted ? std::atoi(wanted) : 4); ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    check_l2(random_l2(random), static_cast<std::uint64_t>(i), outcome);
  }
  if (wanted) WARN(outcome.report);
  INFO(outcome.checked << " facts, " << outcome.undetermined << " undetermined, " << outcome.wrong << " wrong\n"
                       << outcome.report);
  CHECK(outcome.wrong == 0);
  CHECK(outcome.undetermined <= outcome.checked / 20);
}

TEST_CASE("a prefetch that goes forward only brings a block or its end, which is measured") {
  L2Geometry l2;
  l2.fetches_forward = true;
  SimulatedL2 machine(l2, 1);
  const auto facts = facts_of(machine, 1);
  const auto& fact = facts.at("fetch_bytes modifier=256");
  INFO(fact.how);
  CHECK(fact.verdict == FactVerdict::measured);
  CHECK(fact.value == "256");
  CHECK(fact.low == 128);
  CHECK(fact.high == 256);
  CHECK(facts.at("fetch_bytes modifier=128").verdict == FactVerdict::inferred);
  CHECK(facts.at("sector_bytes").value == "32");
}

TEST_CASE("sets in which something else keeps a way do not make an L2 seem smaller") {
  L2Geometry l2;
  l2.crowded = 0.4;
  std::size_t right = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SimulatedL2 machine(l2, seed);
    const auto facts = facts_of(machine, seed);
    const auto& ways = facts.at("ways");
    INFO(seed << ": " << ways.how);
    CHECK(ways.high == 16);
    right += ways.value == "16" && facts.at("policy").value == "lru";
  }
  CHECK(right >= 6);
}

TEST_CASE("a log of an L2, with what was touched, gives the facts again") {
  SimulatedL2 machine({}, 2);
  std::ostringstream log;
  LoggedMachine both(machine, log);
  const auto facts = memory::infer(both, 1);
  CHECK_THAT(log.str(), Catch::Matchers::Contains("{\"touch\": [["));
  std::istringstream again(log.str());
  ReplayedMachine replayed(again);
  CHECK(memory::infer(replayed, 1) == facts);
}

TEST_CASE("an L2 without atomics, without much memory or without a hit gives the facts that it can") {
  struct Other : SimulatedL2 {
    Other(const L2Geometry& l2, bool hits) : SimulatedL2(l2, 1), known(SimulatedL2::info()), hits_(hits) {}
    const MachineInfo& info() const override { return known; }
    std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm) override {
      auto cycles = SimulatedL2::access(list, with, sm);
      if (!hits_) cycles.assign(cycles.size(), 300);
      return cycles;
    }
    MachineInfo known;
    bool hits_;
  };
  L2Geometry one;
  one.partitions = 1;
  Other loads(one, true);
  loads.known.operators = {"cg"};
  const auto of_loads = facts_of(loads, 1);
  CHECK(of_loads.at("line_bytes").value == "128");
  CHECK(of_loads.at("slices").value == "6");
  CHECK(of_loads.at("home_mask").how.find("atomics") != std::string::npos);
  L2Geometry two;
  Other small(two, true);
  small.known.bytes = 192 << 10;  // 256 KiB are enough by chance: then 1.5 times what seems to be held is in reach
  const auto of_small = facts_of(small, 1);
  CHECK(of_small.at("near_hit").verdict == FactVerdict::measured);
  CHECK(of_small.at("near_capacity").verdict == FactVerdict::undetermined);
  CHECK((of_small.at("ways").value.empty() || of_small.at("ways").value == "16"));
  Other none(two, false);
  for (const auto& [name, fact] : facts_of(none, 1)) {
    INFO(name);
    CHECK(fact.verdict == FactVerdict::undetermined);
    CHECK_FALSE(fact.how.empty());
  }
}

TEST_CASE("slices that lie a cycle apart, behind a hierarchy, are distinguished, or counted") {
  L2Geometry l2;
  l2.sms = 132;
  l2.slices = 48;
  l2.slice_granule = 256;
  l2.bytes = 256 << 20;
  l2.outliers = 0.002;
  l2.pitch = 2;
  l2.swing = 3;
  const auto slices_of = [](const L2Geometry& geometry, std::uint64_t seed) {
    SimulatedL2 machine(geometry, seed);
    L2Talk talk(machine, seed);
    return find_slices(talk);
  };
  const auto found = slices_of(l2, 1);
  INFO(found[0].how << "\n" << found[1].how);
  CHECK(found[0].value == "96");
  CHECK(found[1].value == "256");
  l2.has_twins = true;
  const auto twins = slices_of(l2, 2);
  INFO(twins[0].how);
  INFO("what no SM tells apart is counted by its lines, which proves nothing");
  CHECK(twins[0].verdict == FactVerdict::measured);
  CHECK(twins[0].value == "96");
  CHECK(twins[0].low == 94);
  CHECK(twins[0].high == 96);
  CHECK(twins[1].value == "256");
}

// Of the size of a real one, which takes minutes: run by its name.
TEST_CASE("an L2 of 50 MB gives back its geometry", "[.]") {
  L2Geometry l2;
  l2.sms = 132;
  l2.slices = 48;
  l2.sets = 256;
  l2.bytes = 512 << 20;
  L2Outcome outcome;
  check_l2(l2, 3, outcome);
  WARN(outcome.report);
  CHECK(outcome.wrong == 0);
}

TEST_CASE("a machine whose accesses begin to fail ends the inference, which does not take it for an answer") {
  struct FailingL2 : SimulatedL2 {
    using SimulatedL2::SimulatedL2;
    std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm) override {
      if (calls() > 50) throw std::runtime_error("the kernel trapped");
      return SimulatedL2::access(list, with, sm);
    }
  };
  FailingL2 machine(L2Geometry{}, 1);
  CHECK_THROWS_WITH(memory::infer(machine, 1), "the kernel trapped");
}

TEST_CASE("a programming mistake ends the inference, wherever it happens, and does not become a fact") {
  struct MistakenL2 : SimulatedL2 {
    using SimulatedL2::SimulatedL2;
    std::uint64_t last = 0;
    std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm) override {
      if (calls() > last) throw std::out_of_range("a mistake");
      return SimulatedL2::access(list, with, sm);
    }
  };
  SimulatedL2 whole(L2Geometry{}, 1);
  memory::infer(whole, 1);
  for (std::uint64_t share = 1; share < 10; ++share) {
    MistakenL2 machine(L2Geometry{}, 1);
    machine.last = whole.calls() * share / 10;
    CHECK_THROWS_WITH(memory::infer(machine, 1), "a mistake");
  }
}
