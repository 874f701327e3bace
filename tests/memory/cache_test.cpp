// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <map>
#include <numeric>

#include "cache_facts.h"
#include "catch.h"
#include "memory/structure.h"

using namespace ptxlat;
using namespace ptxlat::memory;

namespace {

// Policies that no string of accesses distinguishes have one name.
std::string name_of(const CacheGeometry& cache) {
  if (cache.ways == 1) return "lru";
  if (cache.policy == "random") return "random";
  std::mt19937_64 random(7);
  for (const auto& kind : deterministic_policies(cache.ways)) {
    bool is_equal = true;
    for (int round = 0; round < 300 && is_equal; ++round) {
      CacheSet one(cache.ways, make_policy(kind, cache.ways));
      CacheSet other(cache.ways, make_policy({cache.policy, cache.variant}, cache.ways));
      const std::size_t lines = cache.ways + 1 + random() % cache.ways;
      for (int i = 0; i < 300 && is_equal; ++i) {
        const auto line = random() % lines;
        is_equal = one.access(line) == other.access(line);
      }
    }
    if (is_equal) return kind.name;
  }
  return "?";
}

// The columns of the bits whose column is not independent of those before, in terms of those that are.
std::string hash_columns_of(const CacheGeometry& cache) {
  if (!std::has_single_bit(cache.sets) || !std::has_single_bit(cache.line_bytes)) return "";
  auto columns = cache.columns;
  const int bits = static_cast<int>(std::bit_width(cache.bytes)) - static_cast<int>(std::bit_width(cache.line_bytes));
  for (int bit = static_cast<int>(columns.size()); bit < bits; ++bit)
    columns.push_back(std::uint64_t{1} << bit < cache.sets ? std::uint64_t{1} << bit : 0);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> basis;  // a vector, and which unit vectors it is made of
  std::string text;
  int units = 0;
  for (auto column : columns) {
    std::uint64_t made_of = 0;
    for (const auto& [vector, units_of] : basis) {
      if (std::bit_width(column ^ vector) < std::bit_width(column)) {
        column ^= vector;
        made_of ^= units_of;
      }
    }
    if (column != 0) {
      basis.emplace_back(column, made_of ^ (std::uint64_t{1} << units++));
      std::sort(basis.rbegin(), basis.rend());
    } else {
      text += fmt::format("{}{:#x}", text.empty() ? "" : " ", made_of);
    }
  }
  return text;
}

// What most sets have, the smaller of two that are as common.
std::size_t most_common(const CacheGeometry& cache) {
  std::map<std::size_t, int> counts;
  for (std::uint64_t set = 0; set < cache.sets; ++set) ++counts[cache.size_of(set)];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& x, const auto& y) { return x.second < y.second; })
      ->first;
}

struct Outcome {
  int machines = 0, facts = 0, undetermined = 0, wrong = 0;
  std::string report;
};

void check_machine(const CacheGeometry& cache, std::uint64_t seed, Outcome& outcome) {
  SimulatedCache machine(cache, seed);
  auto sizes = cache.set_sizes;
  std::sort(sizes.rbegin(), sizes.rend());
  std::uint64_t fit_lines = cache.sets * cache.ways;
  if (!sizes.empty()) fit_lines = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (cache.data_lines != 0) fit_lines = std::min(fit_lines, cache.data_lines * cache.data_parts());
  const auto facts = facts_by_name(machine, seed);
  const std::map<std::string, std::string> expected = {
      {"sector_bytes", std::to_string(cache.sector_bytes)},
      {"line_bytes", std::to_string(cache.line_bytes)},
      {"ways", std::to_string(most_common(cache))},
      {"tag_sets", std::to_string(cache.sets)},
      {"fit_lines", std::to_string(fit_lines)},
      {"policy", sizes.empty()              ? name_of(cache)
                 : facts.contains("policy") ? facts.at("policy").value
                                            : ""},
      {"hash_columns", hash_columns_of(cache)},
  };
  ++outcome.machines;
  for (const auto& [quantity, value] : expected) {
    ++outcome.facts;
    const auto& fact = facts.at(quantity);
    if (fact.value == value) continue;
    const bool is_wrong = fact.verdict == results::FactVerdict::inferred;
    ++(is_wrong ? outcome.wrong : outcome.undetermined);
    outcome.report += fmt::format(
        "machine {}: {} {}, found \"{}\" ({}); {} sets of {} ways{}, lines of {} and sectors of {} bytes, {} {}{}, {} "
        "bytes, "
        "{} accesses\n",
        seed, quantity, value, fact.value, fact.how, cache.sets, cache.ways, cache.columns.empty() ? "" : " by a hash",
        cache.line_bytes, cache.sector_bytes, cache.policy, cache.variant,
        cache.victim_weights.empty() ? "" : " with weights", cache.bytes, machine.accesses());
  }
}

}  // namespace

TEST_CASE("a set-associative cache gives back its geometry") {
  CacheGeometry cache;
  cache.sets = 16;
  cache.ways = 6;
  cache.sector_bytes = 32;
  Outcome outcome;
  check_machine(cache, 1, outcome);
  CHECK(outcome.wrong == 0);
  CHECK(outcome.undetermined == 0);
}

TEST_CASE("tags and data that lines share by different hashes are told apart") {
  // Powers of two spread evenly over the parts of the data and over the tags, so that only other strides show the tags.
  const char* wanted = std::getenv("PTXLAT_TEST_MACHINES");
  const int machines = wanted ? std::atoi(wanted) / 10 : 6;
  Outcome outcome;
  for (int i = 0; i < machines; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    const auto cache = random_hashed_geometry(random);
    check_machine(cache, static_cast<std::uint64_t>(i), outcome);
  }
  INFO(outcome.machines << " machines, " << outcome.facts << " facts, " << outcome.undetermined << " undetermined, "
                        << outcome.wrong << " wrong\n"
                        << outcome.report);
  CHECK(outcome.wrong == 0);
  CHECK(outcome.undetermined <= outcome.facts / 20);
}

namespace {

// As `ptxlat probe l1` finds it. Beside 100 KiB of shared memory each part has 298 lines.
CacheGeometry h200_l1(std::uint64_t part_lines) {
  CacheGeometry cache;
  cache.sector_bytes = 32;
  cache.sets = 512;
  cache.ways = 4;
  cache.bytes = 16 << 20;
  cache.columns = {1, 2, 4, 8, 16, 32, 64, 128, 256, 0x71, 0x1b, 0x176, 0x149, 0x39, 0x1e1, 0x1dd, 0xee};
  cache.data_columns = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3, 2, 1};
  cache.data_lines = part_lines;
  return cache;
}

}  // namespace

TEST_CASE("what is found of an H200's L1 predicts another program's strides") {
  const auto cache = h200_l1(435);
  const Structure structure{{{{128, 512, cache.columns}, 4, {}}, {{128, 4, cache.data_columns}, 435, {}}}, 0};
  // The lines that a chase still finds in its eighth lap, to within 20 lines and what a few misses in a lap do not
  // show.
  const std::map<std::uint64_t, double> chased = {{128, 1740}, {192, 1380}, {256, 1740}, {512, 1740}, {4096, 1740},
                                                  {320, 880},  {384, 780},  {640, 480},  {1152, 720}, {1280, 840}};
  for (const auto& [stride, expected] : chased) {
    Lines lines;
    for (std::uint64_t i = 0; i < 2000; ++i) lines.push_back(i * stride);
    const auto fit = static_cast<double>(longest_that_fits(structure, lines));
    INFO(stride << ": " << fit << ", chased " << expected);
    CHECK(fit > 0.92 * expected);
    CHECK(fit < 1.02 * expected);
  }
}

TEST_CASE("an L1 of 512 hashed sets, whose data four parts share, gives them back in launches of 4,096 accesses") {
  auto cache = h200_l1(298);
  cache.most_accesses = 4096;
  Outcome outcome;
  check_machine(cache, 1, outcome);
  INFO(outcome.report);
  CHECK(outcome.wrong == 0);
  CHECK(outcome.undetermined == 0);
  SimulatedCache machine(cache, 2);
  const auto facts = facts_by_name(machine, 2);
  CHECK(value_of(facts, "data_parts") == "4");
  CHECK(value_of(facts, "data_part_lines") == "298");
  CHECK(facts.at("tag_sets").verdict == results::FactVerdict::inferred);
  CHECK(facts.at("fit_lines").verdict == results::FactVerdict::inferred);
}

TEST_CASE("a cache whose sets are no linear hash is undetermined") {
  CacheGeometry cache;
  cache.sets = 64;
  cache.ways = 4;
  cache.is_scrambled = true;
  SimulatedCache machine(cache, 1);
  const auto facts = facts_by_name(machine, 1);
  for (const char* quantity : {"tag_sets", "index", "hash_columns", "index_bits"}) {
    INFO(quantity);
    CHECK(facts.at(quantity).verdict == results::FactVerdict::undetermined);
    CHECK_FALSE(facts.at(quantity).how.empty());
  }
}

TEST_CASE("random caches give back their geometry") {
  const char* wanted = std::getenv("PTXLAT_TEST_MACHINES");
  const int machines = wanted ? std::atoi(wanted) : 60;
  const char* first = std::getenv("PTXLAT_TEST_FIRST");
  Outcome outcome;
  for (int i = first ? std::atoi(first) : 0; i < machines; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(i));
    const auto begin = std::chrono::steady_clock::now();
    const auto cache = random_geometry(random);
    check_machine(cache, static_cast<std::uint64_t>(i), outcome);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (wanted && seconds > 1) WARN("machine " << i << " took " << seconds << " s");
  }
  INFO(outcome.machines << " machines, " << outcome.facts << " facts, " << outcome.undetermined << " undetermined, "
                        << outcome.wrong << " wrong\n"
                        << outcome.report);
  CHECK(outcome.wrong == 0);
  CHECK(outcome.undetermined <= outcome.facts / 100);
}
