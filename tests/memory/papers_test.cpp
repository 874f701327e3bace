// SPDX-License-Identifier: Apache-2.0

// The machines that the papers describe, compared with the papers.
#include "cache_facts.h"
#include "catch.h"

using namespace ptxlat;

namespace {

Facts facts_of(const CacheGeometry& cache) {
  SimulatedCache machine(cache, 1);
  return facts_by_name(machine, 1);
}

CacheGeometry cache_of(std::uint64_t sets, std::size_t ways, std::uint64_t line) {
  CacheGeometry cache;
  cache.sets = sets;
  cache.ways = ways;
  cache.line_bytes = cache.sector_bytes = line;
  return cache;
}

void check_geometry(const Facts& facts, std::uint64_t sets, std::size_t ways, std::uint64_t line) {
  CHECK(value_of(facts, "tag_sets") == std::to_string(sets));
  CHECK(value_of(facts, "ways") == std::to_string(ways));
  CHECK(value_of(facts, "line_bytes") == std::to_string(line));
  CHECK(value_of(facts, "fit_lines") == std::to_string(sets * ways));
}

}  // namespace

TEST_CASE("Wong et al., figure 4: 384 bytes in 12 lines, 3 ways, LRU") {
  const auto facts = facts_of(cache_of(4, 3, 32));
  check_geometry(facts, 4, 3, 32);
  CHECK(value_of(facts, "policy") == "lru");
  CHECK(value_of(facts, "index") == "modulo");
}

TEST_CASE("Wong et al., section IV: the GT200's texture and constant caches") {
  check_geometry(facts_of(cache_of(8, 20, 32)), 8, 20, 32);      // texture L1: 5 KB, 20 ways
  check_geometry(facts_of(cache_of(128, 8, 256)), 128, 8, 256);  // texture L2: 256 KB, 8 ways
  check_geometry(facts_of(cache_of(8, 4, 64)), 8, 4, 64);        // constant L1: 2 KB, 4 ways
  check_geometry(facts_of(cache_of(8, 4, 256)), 8, 4, 256);      // constant L2: 8 KB, 4 ways
  check_geometry(facts_of(cache_of(16, 8, 256)), 16, 8, 256);    // constant L3: 32 KB, 8 ways
}

TEST_CASE("Mei and Chu, figure 8: Fermi's L1 evicts one way of four in half of all cases") {
  auto cache = cache_of(32, 4, 128);
  cache.policy = "random";
  cache.victim_weights = {1.0 / 6, 1.0 / 2, 1.0 / 6, 1.0 / 6};
  SECTION("it fills empty ways first") {}
  SECTION("it evicts as it likes from the beginning") { cache.fills_empty_ways_first = false; }
  const auto facts = facts_of(cache);
  check_geometry(facts, 32, 4, 128);
  CHECK(value_of(facts, "policy") == "random");
}

TEST_CASE("Mei and Chu, figure 8: the frequency with which each way is evicted") {
  auto cache = cache_of(32, 4, 128);
  cache.policy = "random";
  cache.victim_weights = {1.0 / 6, 1.0 / 2, 1.0 / 6, 1.0 / 6};
  std::istringstream shares(value_of(facts_of(cache), "victim_shares"));
  for (const double expected : cache.victim_weights) {
    double share = 0;
    REQUIRE(shares >> share);
    CHECK(std::abs(share - expected) < 0.04);
  }
}

TEST_CASE("Mei and Chu, figure 12: Kepler's texture L1 takes its set from address bits 7 and 8") {
  auto cache = cache_of(4, 96, 32);
  cache.columns = {0, 0, 1, 2};
  while (cache.columns.size() < 15) cache.columns.push_back(0);
  const auto facts = facts_of(cache);
  check_geometry(facts, 4, 96, 32);
  CHECK(value_of(facts, "policy") == "lru");
}

TEST_CASE("Mei and Chu, figure 10: an L2 TLB of one set of 17 entries and six of 8") {
  auto cache = cache_of(7, 8, 2 << 20);
  cache.set_sizes = {17, 8, 8, 8, 8, 8, 8};
  cache.bytes = std::uint64_t{1} << 31;
  const auto facts = facts_of(cache);
  CHECK(value_of(facts, "line_bytes") == "2097152");
  CHECK(value_of(facts, "set_sizes") == "17 8 8 8 8 8 8");
  CHECK(value_of(facts, "ways") == "8");
  CHECK(value_of(facts, "fit_lines") == "65");
}

TEST_CASE("fewer data than tags: the capacity is that of the data") {
  auto cache = cache_of(16, 8, 128);
  cache.data_lines = 100;
  const auto facts = facts_of(cache);
  CHECK(value_of(facts, "tag_sets") == "16");
  CHECK(value_of(facts, "ways") == "8");
  CHECK(value_of(facts, "fit_lines") == "100");
}

namespace {

CacheGeometry with_bytes(CacheGeometry cache, std::uint64_t bytes) {
  cache.bytes = bytes;
  return cache;
}

}  // namespace

TEST_CASE("Mei and Chu, section 4.5: Fermi's TLBs, an L1 of 16 entries before an L2 of unequal sets") {
  constexpr std::uint64_t page = 2 << 20, memory = std::uint64_t{1} << 31;
  auto l2 = cache_of(7, 8, page);
  l2.set_sizes = {17, 8, 8, 8, 8, 8, 8};
  SimulatedHierarchy machine("tlb", "tlb", {with_bytes(cache_of(1, 16, page), memory), with_bytes(l2, memory)},
                             {100, 388, 728}, 1);
  const auto facts = facts_by_name(machine, 1);
  CHECK(value_of(facts, "page_bytes") == "2097152");
  CHECK(value_of(facts, "l1_entries") == "16");
  CHECK(value_of(facts, "l1_ways") == "16");
  CHECK(value_of(facts, "l1_policy") == "lru");
  CHECK(value_of(facts, "l1_miss_extra") == "288");
  CHECK(value_of(facts, "l2_entry_coverage") == "2097152");
  CHECK(value_of(facts, "l2_sets") == "17 8 8 8 8 8 8");
  CHECK(value_of(facts, "l2_entries") == "65");
  CHECK(value_of(facts, "l2_miss_extra") == "340");
}

TEST_CASE("Wong et al., figures 17 to 19: three levels of constant memory") {
  constexpr std::uint64_t memory = 1 << 20;
  SimulatedHierarchy machine("constant", "const",
                             {with_bytes(cache_of(8, 4, 64), memory), with_bytes(cache_of(8, 4, 256), memory),
                              with_bytes(cache_of(16, 8, 256), memory)},
                             {56, 129, 268, 506}, 1);
  const auto facts = facts_by_name(machine, 1);
  CHECK(value_of(facts, "l1_bytes") == "2048");
  CHECK(value_of(facts, "l1_line") == "64");
  CHECK(value_of(facts, "l1_ways") == "4");
  CHECK(value_of(facts, "l1_latency") == "56");
  CHECK(value_of(facts, "l15_bytes") == "8192");
  CHECK(value_of(facts, "l15_line") == "256");
  CHECK(value_of(facts, "l15_ways") == "4");
  CHECK(value_of(facts, "l15_latency") == "129");
  CHECK(value_of(facts, "l2_latency") == "268");
  CHECK(value_of(facts, "l2_bytes") == "32768");
  CHECK(value_of(facts, "l2_ways") == "8");
}

TEST_CASE("of a level that cannot be filled, a line is what one access brings") {
  constexpr std::uint64_t memory = 64 << 10;
  SimulatedHierarchy machine("constant", "const",
                             {with_bytes(cache_of(8, 4, 64), memory), with_bytes(cache_of(64, 8, 256), memory)},
                             {28, 98, 305}, 1);
  const auto facts = facts_by_name(machine, 1);
  CHECK(value_of(facts, "l15_line") == "256");
  CHECK(facts.at("l15_line").verdict == results::FactVerdict::measured);
  CHECK(facts.at("l15_ways").verdict == results::FactVerdict::undetermined);
}
