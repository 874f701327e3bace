// SPDX-License-Identifier: Apache-2.0
#include "memory/l2.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "memory/l2_capacity.h"
#include "memory/l2_home.h"
#include "memory/l2_lines.h"
#include "memory/l2_sets.h"
#include "memory/l2_slices.h"
#include "series/facts.h"

namespace ptxlat::memory {

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
