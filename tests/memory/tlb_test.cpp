// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "cache_facts.h"
#include "catch.h"

using namespace ptxlat;

namespace {

struct Translation {
  CacheGeometry l1, l2;
  std::vector<double> cycles;
};

// Up to 64 entries before up to a thousand, of which each covers as much or more.
Translation random_translation(std::mt19937_64& random) {
  Translation tlb;
  const auto one_of = [&](auto... choices) {
    const std::uint64_t list[] = {static_cast<std::uint64_t>(choices)...};
    return list[random() % std::size(list)];
  };
  tlb.l1.line_bytes = tlb.l1.sector_bytes = one_of(4096, 65536, 131072, 2 << 20);
  tlb.l1.sets = one_of(1, 1, 2, 4, 8);
  tlb.l1.ways = tlb.l1.sets == 1 ? 4 + random() % 29 : 1 + random() % 8;
  tlb.l2.line_bytes = tlb.l2.sector_bytes = tlb.l1.line_bytes * one_of(1, 1, 2, 8, 16);
  tlb.l2.sets = one_of(4, 7, 8, 16, 32, 64, 1 + random() % 40);
  tlb.l2.ways = 4 + random() % 13;
  const std::uint64_t inner = tlb.l1.sets * tlb.l1.ways;
  // The outer level holds several times what the inner one does.
  while (tlb.l2.sets * tlb.l2.ways < 4 * inner) tlb.l2.sets *= 2;
  if (random() % 4 == 0 && tlb.l2.sets <= 64) {
    tlb.l2.set_sizes.assign(tlb.l2.sets, tlb.l2.ways);
    tlb.l2.set_sizes[random() % tlb.l2.sets] += 1 + random() % 8;
  }
  const char* policies[] = {"lru", "lru", "fifo", "plru"};
  tlb.l1.policy = policies[random() % 4];
  tlb.l2.policy = policies[random() % 4];
  if (!std::has_single_bit(tlb.l1.ways) && tlb.l1.policy == "plru") tlb.l1.policy = "lru";
  if ((!std::has_single_bit(tlb.l2.ways) || !tlb.l2.set_sizes.empty()) && tlb.l2.policy == "plru")
    tlb.l2.policy = "lru";
  tlb.l1.bytes = tlb.l2.bytes = std::bit_ceil(tlb.l2.sets * (tlb.l2.ways + 8) * tlb.l2.line_bytes) * one_of(4, 8);
  tlb.cycles = {100, 100 + static_cast<double>(30 + random() % 300)};
  tlb.cycles.push_back(tlb.cycles.back() + static_cast<double>(30 + random() % 600));
  return tlb;
}

std::string policy_of(const CacheGeometry& cache) {
  if (cache.ways == 1) return "lru";
  if (cache.ways == 2 && cache.policy == "plru") return "lru";
  return cache.policy;
}

std::uint64_t entries_of(const CacheGeometry& cache) {
  std::uint64_t entries = 0;
  for (std::uint64_t set = 0; set < cache.sets; ++set) entries += cache.size_of(set);
  return entries;
}

}  // namespace

TEST_CASE("random TLBs of two levels give back their geometry") {
  const char* wanted = std::getenv("PTXLAT_TEST_MACHINES");
  const int machines = wanted ? std::atoi(wanted) : 20;
  int facts_of_all = 0, undetermined = 0, wrong = 0;
  std::string report;
  for (int i = 0; i < machines; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    const auto tlb = random_translation(random);
    SimulatedHierarchy machine("tlb", "tlb", {tlb.l1, tlb.l2}, tlb.cycles, seed);
    const auto facts = facts_by_name(machine, seed);
    const std::map<std::string, std::string> expected = {
        {"l1_entries", std::to_string(entries_of(tlb.l1))},
        {"l1_entry_coverage", std::to_string(tlb.l1.line_bytes)},
        {"l1_ways", std::to_string(tlb.l1.ways)},
        {"l1_policy", policy_of(tlb.l1)},
        {"l2_entries", std::to_string(entries_of(tlb.l2))},
        {"l2_entry_coverage", std::to_string(tlb.l2.line_bytes)},
        {"l2_ways", std::to_string(tlb.l2.ways)},
        {"l2_policy", tlb.l2.set_sizes.empty() ? policy_of(tlb.l2) : value_of(facts, "l2_policy")},
    };
    for (const auto& [quantity, value] : expected) {
      ++facts_of_all;
      const auto found = value_of(facts, quantity);
      if (found == value) continue;
      ++(found.starts_with('(') ? undetermined : wrong);
      report += fmt::format(
          "machine {}: {} {}, found {}; {} sets of {} ways of {} bytes, {}, before {} sets of {} ways{} of {} bytes, "
          "{}; {} "
          "bytes, cycles {}, {} accesses\n",
          i, quantity, value, found, tlb.l1.sets, tlb.l1.ways, tlb.l1.line_bytes, tlb.l1.policy, tlb.l2.sets,
          tlb.l2.ways, tlb.l2.set_sizes.empty() ? "" : " and more", tlb.l2.line_bytes, tlb.l2.policy, tlb.l2.bytes,
          fmt::join(tlb.cycles, " "), machine.accesses());
    }
  }
  INFO(machines << " machines, " << facts_of_all << " facts, " << undetermined << " undetermined, " << wrong
                << " wrong\n"
                << report);
  CHECK(wrong == 0);
  CHECK(undetermined <= facts_of_all / 100);
}
