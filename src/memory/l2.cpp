// SPDX-License-Identifier: Apache-2.0
#include "memory/l2.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/quantile.h"
#include "memory/l2_capacity.h"
#include "memory/l2_home.h"
#include "memory/l2_lines.h"
#include "memory/l2_sets.h"
#include "memory/l2_slices.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

// One kind of access: the times of all lines, by SM.
struct Samples {
  std::vector<double> all, medians;
  void add(const std::vector<double>& of_sm) {
    if (of_sm.empty()) return;
    all.insert(all.end(), of_sm.begin(), of_sm.end());
    medians.push_back(median_of(of_sm));
  }
  Cost cost() const {
    if (all.empty()) return {};
    const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
    return {median_of(all), *low, *high};
  }
};

}  // namespace

bool L2Costs::is_miss(double extra, bool is_near) const {
  if (is_near || !far_first || !miss_far) return extra > miss_step() / 2;
  return extra > (far_first->cycles + miss_far->cycles) / 2 - near_hit.cycles;
}

std::optional<L2Costs> find_costs(L2Talk& talk, const Homes& homes) {
  // Few in a small memory, so that first accesses really are the first.
  const std::size_t line_count = std::clamp<std::uint64_t>(talk.info().bytes / L2Talk::spacing / 16, 8, 256);
  const std::string with = talk.info().usual_operator();
  const Lines lines = talk.random_lines(line_count);
  const auto sides = homes_of(talk, homes, lines);
  std::vector<std::pair<int, int>> sms;  // with their sides
  if (homes.are_two()) {
    for (const int side : {0, 1})
      for (const int sm : homes.sms_of(side, 4)) sms.emplace_back(sm, side);
  } else {
    for (const int sm : talk.spread_sms(8)) sms.emplace_back(sm, 0);
  }
  Samples near_hit, far_first, miss_near, miss_far, far_again;
  for (const auto& [sm, side] : sms) {
    std::vector<double> hits, firsts, misses, far_misses, again;
    talk.prepare();
    const auto from_cold = talk.first_and_hot(lines, with, sm);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_near = sides[i] == side;
      (is_near ? misses : far_misses).push_back(from_cold[i].first);
      (is_near ? hits : again).push_back(from_cold[i].hot);
    }
    if (homes.are_two()) {
      talk.prepare();
      // From the opposite side, so that the lines are at home there and not yet here.
      const int other = homes.sms_of(1 - side, 1).front();
      for (int lap = 0; lap < 2; ++lap) talk.touch(in_progressions(lines), with, other);
      const auto from_home = talk.first_and_hot(lines, with, sm);
      for (std::size_t i = 0; i < lines.size(); ++i)
        if (sides[i] != side) firsts.push_back(from_home[i].first);
    }
    near_hit.add(hits);
    far_first.add(firsts);
    miss_near.add(misses);
    miss_far.add(far_misses);
    far_again.add(again);
  }
  L2Costs costs;
  costs.sm = sms.front().first;
  costs.side = sms.front().second;
  costs.near_hit = near_hit.cost();
  costs.miss_near = miss_near.cost();
  // Hits vary with the distance to the slice; an access that does not take longer than that is not a miss.
  const double scatter = quantile_of(near_hit.all, 0.9) - quantile_of(near_hit.all, 0.1);
  if (costs.miss_step() < std::max(scatter, 1.0)) return std::nullopt;
  if (homes.are_two()) {
    costs.far_first = far_first.cost();
    costs.miss_far = miss_far.cost();
    costs.copies_near = far_again.cost().cycles < (costs.near_hit.cycles + costs.far_first->cycles) / 2;
  }
  return costs;
}

std::vector<results::Fact> facts_of(const std::optional<L2Costs>& costs, const Homes& homes,
                                    const std::string& reason) {
  std::vector<results::Fact> facts;
  // At least `spread` percent: the distance to memory varies more than the SMs' medians of one measurement show.
  const auto add = [&](const char* quantity, const std::optional<Cost>& cost, const std::string& how, double spread) {
    auto& fact = facts.emplace_back(series::inferred(quantity, "", "cycles", "", costs ? homes.reason : reason));
    fact.scope = "card";
    if (!cost || cost->cycles <= 0) return;
    fact.value = fmt::format("{:.6g}", cost->cycles);
    fact.low = std::min(cost->low, cost->cycles * (1 - spread / 100));
    fact.high = std::max(cost->high, cost->cycles * (1 + spread / 100));
    fact.verdict = results::FactVerdict::measured;
    fact.how = how + "; median over lines and SMs, range of the SMs' medians";
  };
  const auto of = [&](const Cost L2Costs::*cost) { return costs ? std::optional(*costs.*cost) : std::nullopt; };
  const std::string sides = homes.are_two() ? "" : " (sides unknown: " + homes.reason + ")";
  add("l2.near_hit", of(&L2Costs::near_hit), "loads repeated, of lines whose home is near" + sides, 2);
  add("l2.far_first_read", costs ? costs->far_first : std::nullopt,
      "loads of lines that an SM of their own side has just read", 2);
  add("l2.miss_near", of(&L2Costs::miss_near), "first loads after everything was evicted, home near" + sides, 5);
  add("l2.miss_far", costs ? costs->miss_far : std::nullopt, "first loads after everything was evicted, home far", 5);
  if (costs && costs->far_first) {
    auto& fact =
        facts.emplace_back(series::inferred("l2.copies_near", costs->copies_near ? "1" : "0", "count",
                                            "whether later loads of a far line take as long as near hits", ""));
    fact.verdict = results::FactVerdict::measured;
  }
  return facts;
}

namespace {

using results::Fact;
using results::FactVerdict;

// Why a stage failed; empty if it succeeded. Damaged logs, lost machines and failed launches end the whole inference.
std::string failure_of(const std::function<void()>& stage) {
  try {
    stage();
    return "";
  } catch (const TooManyAccesses& failure) {
    return failure.what();
  }
}

// Two ways to find the line size: from the share of strided accesses that a cache keeps, and from the data evicted
// together.
void compare_lines(Fact& line, const L2Sets& sets) {
  if (sets.line_bytes == 0) return;
  line.how += (line.how.empty() ? "" : "; ") + sets.line_how;
  if (line.value.empty()) {
    line.value = fmt::format("{}", sets.line_bytes);
    line.low = line.high = static_cast<double>(sets.line_bytes);
    line.verdict = FactVerdict::measured;
  } else if (line.value != fmt::format("{}", sets.line_bytes)) {
    line.verdict = FactVerdict::contradicted;
  }
}

}  // namespace

std::vector<Fact> infer_l2(Machine& machine, std::uint64_t seed) {
  if (machine.info().bytes < L2Talk::spacing)
    throw Error(ExitCode::failure, "a memory of so few bytes has no second level",
                "docs/inference.md says what it must say.");
  L2Talk talk(machine, seed);
  std::vector<Fact> facts;
  const auto add = [&](const std::vector<Fact>& more) { facts.insert(facts.end(), more.begin(), more.end()); };
  // The facts of a failed stage.
  const auto give_up = [&](const std::vector<std::pair<const char*, const char*>>& quantities,
                           const std::string& reason) {
    for (const auto& [quantity, unit] : quantities) facts.push_back(series::inferred(quantity, "", unit, "", reason));
  };

  Homes homes;
  if (const auto why = failure_of([&] { homes = find_homes(talk); }); !why.empty()) homes.reason = why;
  facts.push_back(sides_fact(homes));
  std::optional<L2Costs> costs;
  std::string reason = failure_of([&] { costs = find_costs(talk, homes); });
  if (!costs && reason.empty()) reason = "first and later loads take the same time";
  add(facts_of(costs, homes, reason));
  HomeMask mask;
  if (const auto why = failure_of([&] { mask = find_home_mask(talk, homes); }); !why.empty())
    give_up({{"l2.home_mask", "text"}, {"l2.home_granule", "bytes"}}, why);
  add(mask.facts);

  Fetches fetches;
  if (costs) {
    const auto why = failure_of([&] { fetches = find_fetches(talk, homes, mask, *costs); });
    if (!why.empty()) fetches.facts = no_fetches(talk, why);
  } else {
    fetches.facts = no_fetches(talk, reason);
  }
  add(fetches.facts);
  if (const auto why = failure_of([&] { add(find_slices(talk)); }); !why.empty())
    give_up({{"l2.slices", "count"}, {"l2.slice_granule", "bytes"}}, why);

  Capacity capacity;
  std::string why = reason;
  if (costs) why = failure_of([&] { capacity = find_capacity(talk, homes, *costs, fetches.sector_bytes); });
  if (!why.empty())
    give_up({{"l2.near_capacity", "bytes"}, {"l2.total_capacity", "bytes"}, {"l2.line_bytes", "bytes"}}, why);
  add(capacity.facts);

  L2Sets sets;
  why = reason;
  // Without a line size each sector is touched: laps take longer, but the search is the same.
  const std::uint64_t sector = fetches.sector_bytes != 0 ? fetches.sector_bytes : L2Talk::finest;
  const std::uint64_t line = capacity.line_bytes != 0 ? capacity.line_bytes : sector;
  if (costs) why = failure_of([&] { sets = find_l2_sets(talk, homes, *costs, line, sector); });
  if (!why.empty()) give_up({{"l2.ways", "count"}, {"l2.policy", "text"}}, why);
  add(sets.facts);
  const auto line_fact =
      std::find_if(facts.begin(), facts.end(), [](const Fact& fact) { return fact.quantity == "l2.line_bytes"; });
  if (line_fact != facts.end()) compare_lines(*line_fact, sets);
  if (!facts.empty())
    facts.back().how += fmt::format("; {} calls and {} timed accesses in all", talk.calls(), talk.accesses());
  return facts;
}

}  // namespace ptxlat::memory
