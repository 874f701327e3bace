// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "../ptx/little_catalogue.h"
#include "catch.h"
#include "latency/plan.h"

using namespace ptxlat;
using namespace ptxlat::latency;
using results::Shard;

namespace {

// A plan's costs in the order of the chapters: many cheap variants, then few that cost thirty times as much.
std::vector<std::size_t> costs_of_a_plan(std::size_t variants) {
  std::mt19937 random(7);
  std::vector<std::size_t> costs;
  for (std::size_t i = 0; i < variants; ++i) {
    const std::size_t expensive = i * 10 > variants * 9 ? 30 : 1;
    costs.push_back(i % 50 == 0 ? 0 : expensive * (8'000 + random() % 8'000));
  }
  return costs;
}

std::vector<CellPlan> little_plan(const LittleCatalogue& little, const std::vector<int>& levels) {
  std::vector<const isa::Form*> forms;
  for (const auto& form : little.loaded.catalogue.forms) forms.push_back(&form);
  return plan_cells(little.loaded, forms, levels);
}

const std::string eight_forms =
    "syntax = \"x{modifier}.u32 {d:u32}, {a:u32}\"\nprepare = \"prepared;\"\n"
    "modifier = [\".m0\", \".m1\", \".m2\", \".m3\", \".m4\", \".m5\", \".m6\", \".m7\"]\n";

}  // namespace

TEST_CASE("every item is in one shard, however many there are") {
  for (const std::size_t items : {0u, 1u, 7u, 1000u}) {
    const auto costs = costs_of_a_plan(items);
    for (const std::size_t count : {1u, 2u, 3u, 16u, 1000u, 1024u}) {
      INFO(items << " items in " << count << " shards");
      std::vector<std::size_t> owners(items);
      for (std::size_t number = 1; number <= count; ++number) {
        const auto has = in_shard(costs, {number, count});
        REQUIRE(has.size() == items);
        for (std::size_t i = 0; i < items; ++i) owners[i] += has[i] ? 1 : 0;
      }
      CHECK(std::all_of(owners.begin(), owners.end(), [](std::size_t owner) { return owner == 1; }));
    }
  }
}

TEST_CASE("shards cost the same, and each has some of the beginning and some of the end") {
  const auto costs = costs_of_a_plan(9'600);
  const auto total = std::accumulate(costs.begin(), costs.end(), std::size_t{0});
  for (const std::size_t count : {2u, 5u, 16u}) {
    for (std::size_t number = 1; number <= count; ++number) {
      INFO("shard " << number << " of " << count);
      const auto has = in_shard(costs, {number, count});
      std::size_t cost = 0;
      for (std::size_t i = 0; i < costs.size(); ++i) cost += has[i] ? costs[i] : 0;
      CHECK(static_cast<double>(cost) == Approx(static_cast<double>(total) / static_cast<double>(count)).epsilon(0.05));
      const auto middle = has.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
      CHECK(std::find(has.begin(), middle, true) != middle);
      CHECK(std::find(middle, has.end(), true) != has.end());
    }
  }
}

TEST_CASE("neighbours stay together: a shard is a few pieces") {
  const auto has = in_shard(costs_of_a_plan(9'600), {3, 16});
  std::size_t pieces = 0;
  for (std::size_t i = 1; i < has.size(); ++i) pieces += has[i] && !has[i - 1] ? 1 : 0;
  CHECK(pieces >= 8);
  CHECK(pieces <= 40);
}

TEST_CASE("no shard is empty if there is an item for each") {
  const std::vector<std::size_t> costs(10, 5'000);
  for (std::size_t number = 1; number <= 10; ++number) {
    const auto has = in_shard(costs, {number, 10});
    CHECK(std::count(has.begin(), has.end(), true) == 1);
  }
}

TEST_CASE("a shard has all levels of its variants, the same for any levels, in the plan's order") {
  const LittleCatalogue little{eight_forms};
  const auto plan = little_plan(little, {0, 3}), highest = little_plan(little, {3});
  std::set<std::string> seen;
  for (std::size_t number = 1; number <= 3; ++number) {
    const auto cells = cells_of_shard(plan, {number, 3});
    std::set<std::string> low, high, alone;
    for (const auto& cell : cells) {
      CHECK(seen.insert(key_of(cell).text()).second);
      (cell.level == 0 ? low : high).insert(cell.variant.form->ptx + cell.variant.operand);
    }
    for (const auto& cell : cells_of_shard(highest, {number, 3}))
      alone.insert(cell.variant.form->ptx + cell.variant.operand);
    CHECK_FALSE(low.empty());
    CHECK(low == high);
    CHECK(high == alone);
    CHECK(std::is_sorted(cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.level < b.level; }));
  }
  CHECK(seen.size() == plan.size());
}

TEST_CASE("equal plans have equal names, and any other cell, level or recipe another") {
  const LittleCatalogue little{eight_forms};
  const auto plan = little_plan(little, {0, 3});
  CHECK(name_of_plan(plan) == name_of_plan(little_plan(little, {0, 3})));
  std::set<std::string> names{name_of_plan(plan), name_of_plan(little_plan(little, {3}))};
  auto changed = plan;
  changed[1].recipe = "another";
  names.insert(name_of_plan(changed));
  changed.pop_back();
  names.insert(name_of_plan(changed));
  CHECK(names.size() == 4);
}
