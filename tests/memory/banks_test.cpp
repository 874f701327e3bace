// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "cache_facts.h"
#include "catch.h"

using namespace ptxlat;

namespace {

// A warp takes as long as its fullest bank.
struct SimulatedBanks : memory::Machine {
  memory::MachineInfo known{"banks", "shared", 48 << 10, {}, 1, 1 << 20};
  std::uint64_t banks = 32, width = 4;
  double alone = 23, further = 2;
  bool shares_words = true;
  bool answers_by_lane = false;
  std::mt19937_64 random{1};

  const memory::MachineInfo& info() const override { return known; }
  void prepare() override {}
  std::vector<double> access(const std::vector<memory::Addresses>& list, const std::string&, int) override {
    std::vector<std::multiset<std::uint64_t>> words(banks);
    std::size_t lanes = 0, fullest = 0;
    for (const auto& run : list) {
      for (std::uint64_t i = 0; i < run.count; ++i, ++lanes) {
        const std::uint64_t word = (run.at(i)) / width;
        auto& bank = words[word % banks];
        if (!shares_words || !bank.contains(word)) bank.insert(word);
        fullest = std::max(fullest, bank.size());
      }
    }
    double cycles = alone + further * static_cast<double>(fullest - 1);
    if (random() % 50 == 0) cycles += 0.25 * further;
    return std::vector<double>(answers_by_lane ? lanes : 1, cycles);
  }
};

}  // namespace

TEST_CASE("banks of any number and width are found, by answers a warp or a lane") {
  for (const bool by_lane : {false, true}) {
    for (const auto& [banks, width] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {32, 4}, {32, 8}, {16, 4}, {16, 8}, {17, 4}, {1, 4}, {64, 2}, {48, 16}}) {
      SimulatedBanks machine;
      machine.banks = banks;
      machine.width = width;
      machine.answers_by_lane = by_lane;
      const auto facts = facts_by_name(machine, 1);
      CHECK(value_of(facts, "banks") == std::to_string(banks));
      CHECK(value_of(facts, "bank_bytes") == std::to_string(width));
      CHECK(value_of(facts, "broadcast") == "1");
      CHECK(value_of(facts, "latency") == "23");
      CHECK(value_of(facts, "conflict_slope") == "2");
      CHECK(facts.at("conflict_slope").condition == "bits=" + std::to_string(8 * width));
    }
  }
}

TEST_CASE("a memory whose lanes never wait for each other has no banks to be found") {
  SimulatedBanks machine;
  machine.further = 0;
  const auto facts = facts_by_name(machine, 1);
  CHECK(facts.at("banks").verdict == results::FactVerdict::undetermined);
  CHECK(facts.at("latency").verdict == results::FactVerdict::measured);
}

TEST_CASE("banks that random lanes contradict are not claimed") {
  SimulatedBanks machine;
  machine.shares_words = false;
  const auto facts = facts_by_name(machine, 1);
  CHECK(facts.at("banks").verdict == results::FactVerdict::undetermined);
}
