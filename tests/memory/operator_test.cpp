// SPDX-License-Identifier: Apache-2.0

// Ways to access a cache that do not bring the line.
#include "cache_facts.h"
#include "catch.h"

using namespace ptxlat;

namespace {

// "ca" and "st" allocate, "cg" goes past the cache.
struct CacheWithOperators : memory::Machine {
  SimulatedCache cache{CacheGeometry{}, 1};
  memory::MachineInfo known{cache.info()};
  CacheWithOperators() { known.operators = {"ca", "cg", "st"}; }
  const memory::MachineInfo& info() const override { return known; }
  void prepare() override { cache.prepare(); }
  std::vector<double> access(const std::vector<memory::Addresses>& list, const std::string& with, int sm) override {
    if (with != "cg") return cache.access(list, with, sm);
    std::uint64_t count = 0;
    for (const auto& run : list) count += run.count;
    return std::vector<double>(count, 280);
  }
};

}  // namespace

TEST_CASE("what an operator brings for the usual one") {
  CacheWithOperators machine;
  const auto facts = facts_by_name(machine, 1);
  CHECK(value_of(facts, "cg_allocates") == "0");
  CHECK(value_of(facts, "store_allocates") == "1");
  CHECK(value_of(facts, "ways") == "4");
  CHECK(facts.at("cg_allocates").verdict == results::FactVerdict::measured);
}
