// SPDX-License-Identifier: Apache-2.0
#include "memory/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/named_values.h"
#include "memory/banks.h"
#include "memory/branch.h"
#include "memory/cache.h"
#include "memory/l2.h"
#include "memory/level.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

using results::Fact;

constexpr const char* no_such_level = "no accesses were found that take as long as a level of its own would";

std::vector<Level> levels_of(Machine& machine, std::uint64_t seed, std::size_t most) {
  Prober prober(machine, seed);
  auto levels = infer_levels(prober, most);
  while (levels.size() < most) levels.emplace_back().reason = no_such_level;
  return levels;
}

double spread_of(const Level& level) { return 0.05 * (level.next_cycles - level.cycles); }

// For latencies beyond the last known level: memory is farther from some SMs than from others, on some cards.
Fact behind(const std::string& quantity, double cycles) {
  constexpr double distance = 0.1;
  auto fact =
      series::measured(quantity, cycles, distance * cycles, "cycles", "what most misses of the level before take");
  fact.scope = "card";
  return fact;
}

std::vector<std::size_t> sizes_of(const Level& level) {
  if (!level.set_sizes.empty()) return level.set_sizes;
  constexpr std::uint64_t most = 64;  // sets that are listed
  return level.index && level.index->sets <= most ? std::vector<std::size_t>(level.index->sets, level.ways)
                                                  : std::vector<std::size_t>{};
}

}  // namespace

std::vector<Fact> infer_tlb(Machine& machine, std::uint64_t seed) {
  const std::string space = machine.info().space;
  const auto levels = levels_of(machine, seed, 2);
  std::vector<Fact> facts;
  facts.push_back(series::inferred(space + ".page_bytes", levels.front().line_bytes, "bytes",
                                   "the least that an entry covers", levels.front().reason));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const std::string name = fmt::format("{}.l{}_", space, i + 1);
    facts.push_back(series::inferred(name + "entries", level.fit_lines, "count", "entries of all sets", level.reason));
    facts.push_back(series::inferred(name + "entry_coverage", level.line_bytes, "bytes",
                                     "addresses that take one entry together, in a full set", level.reason));
    facts.push_back(series::inferred(name + "ways", level.ways, "count",
                                     "pages that do not fit, of which any one may go; less one", level.reason));
    facts.push_back(series::inferred(name + "sets", fmt::format("{}", fmt::join(sizes_of(level), " ")), "count",
                                     "the entries of each set",
                                     level.reason.empty() ? "more than 64 sets" : level.reason));
    facts.push_back(policy_fact(name + "policy", level));
    if (level.next_cycles > 0) {
      facts.push_back(series::measured(name + "miss_extra", level.next_cycles - level.cycles, spread_of(level),
                                       "cycles", "what most misses take longer than most hits"));
    } else {
      facts.push_back(series::inferred(name + "miss_extra", "", "cycles", "", level.reason));
    }
  }
  return facts;
}

std::vector<Fact> infer_constant(Machine& machine, std::uint64_t seed) {
  const std::string space = machine.info().space;
  const auto levels = levels_of(machine, seed, 3);
  const std::string names[] = {"l1", "l15", "l2"};
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const std::string name = space + "." + names[i] + "_";
    if (level.next_cycles > 0) {
      facts.push_back(level.index || i == 0 ? series::measured(name + "latency", level.cycles, spread_of(level),
                                                               "cycles", "what most hits take")
                                            : behind(name + "latency", level.cycles));
      // The last latency belongs to a level that was never missed.
      if (i + 1 < levels.size() && levels[i + 1].next_cycles == 0)
        facts.push_back(behind(fmt::format("{}.{}_latency", space, names[i + 1]), level.next_cycles));
    }
    if (level.next_cycles == 0 && i > 0) continue;
    facts.push_back(series::inferred(name + "bytes", level.fit_lines * level.line_bytes, "bytes", "lines of all sets",
                                     level.reason));
    if (level.line_bytes == 0 && level.sector_bytes != 0) {
      facts.push_back(
          series::measured(name + "line", static_cast<double>(level.sector_bytes), 0, "bytes",
                           "the nearest second access that misses: " + level.reason + ", so a line may be longer"));
    } else {
      facts.push_back(series::inferred(name + "line", level.line_bytes, "bytes",
                                       "addresses that take one place together, in a full set", level.reason));
    }
    facts.push_back(series::inferred(name + "ways", level.ways, "count",
                                     "lines that do not fit, of which any one may go; less one", level.reason));
    facts.push_back(series::inferred(name + "sets", level.index ? level.index->sets : 0, "count",
                                     "the set index, which predicted fresh lines", level.reason));
    facts.push_back(policy_fact(name + "policy", level));
  }
  // The same under the name that the chases of all paths use.
  for (const auto& fact : facts) {
    if (fact.quantity != space + ".l2_latency" || fact.value.empty()) continue;
    auto chased = fact;
    chased.quantity = "chase." + space + ".l2";
    facts.push_back(std::move(chased));
    break;
  }
  return facts;
}

namespace {

using InferFacts = std::vector<results::Fact> (*)(Machine& machine, std::uint64_t seed);

constexpr NamedValues<InferFacts, 6> kinds = {{
    {infer_banks, "banks"},
    {infer_branch, "branch"},
    {infer_cache, "cache"},
    {infer_constant, "constant"},
    {infer_l2, "l2"},
    {infer_tlb, "tlb"},
}};

}  // namespace

std::vector<results::Fact> infer(Machine& machine, std::uint64_t seed) {
  const auto& kind = machine.info().kind;
  if (const auto infer_facts = value_in(kinds, kind)) return (*infer_facts)(machine, seed);
  throw Error(ExitCode::unknown_name, fmt::format("cannot infer machines of kind \"{}\"", kind),
              fmt::format("Known kinds: {}.", fmt::join(names_of(kinds), ", ")));
}

}  // namespace ptxlat::memory
