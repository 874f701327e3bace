// SPDX-License-Identifier: Apache-2.0
#include "memory/cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "memory/level.h"
#include "series/facts.h"

namespace ptxlat::memory {

namespace {

using results::Fact;
using results::FactVerdict;

// For an index whose sets and lines are powers of two.
std::string index_bits(const SetIndex& index, std::uint64_t line_bytes) {
  if (!std::has_single_bit(index.sets) || !std::has_single_bit(line_bytes)) return {};
  const auto first = static_cast<std::size_t>(std::countr_zero(line_bytes));
  std::string bits;
  const auto add = [&](std::size_t bit) { bits += (bits.empty() ? "" : " ") + std::to_string(bit); };
  for (std::size_t i = 0; i < index.columns.size(); ++i)
    if (index.columns[i] != 0) add(first + i);
  for (std::size_t i = 0; index.columns.empty() && i < static_cast<std::size_t>(std::countr_zero(index.sets)); ++i)
    add(first + i);
  return bits;
}

std::vector<Fact> facts_of(const std::string& space, const Level& found) {
  std::vector<Fact> facts;
  const auto count = [&](const char* quantity, std::uint64_t value, const char* unit, const std::string& how) {
    facts.push_back(series::inferred(space + "." + quantity, value, unit, how, found.reason));
  };
  const auto words = [&](const char* quantity, const std::string& value, const std::string& how,
                         const std::string& reason) {
    facts.push_back(series::inferred(space + "." + quantity, value, "text", how, reason));
  };
  count("sector_bytes", found.sector_bytes, "bytes", "the nearest second access that misses");
  count(space == "tex" ? "line" : "line_bytes", found.line_bytes, "bytes",
        "addresses that take one place together, in a full set");
  count("ways", found.ways, "count", "lines that do not fit, of which any one may go; less one");
  const std::string index_reason = found.reason.empty() ? "the sets were not found" : found.reason;
  count("tag_sets", found.index ? found.index->sets : 0, "count", "the set index, which predicted fresh lines");
  if (found.index) {
    const auto others = found.index->other_columns();
    const bool is_modulo = std::all_of(others.begin(), others.end(), [](auto column) { return column == 0; });
    words("index", is_modulo ? "modulo" : "hash",
          is_modulo ? "line number modulo sets, which predicted fresh lines"
                    : "exclusive or of address bits, which predicted fresh lines",
          "");
    std::vector<std::string> columns;
    for (const auto column : others) columns.push_back(fmt::format("{:#x}", column));
    words("hash_columns", fmt::format("{}", fmt::join(columns, " ")),
          "of the address bits that are not in the index themselves, from the lowest; the others are its unit vectors",
          "no address bit is left, or the number of sets is not a power of two");
  } else {
    words("index", "", "", index_reason);
    words("hash_columns", "", "", index_reason);
  }
  if (found.index)
    words("index_bits", index_bits(*found.index, found.line_bytes), "address bits that the set depends on", "one set");
  else
    words("index_bits", "", "", index_reason);
  count("bytes", found.fit_lines * found.line_bytes, "bytes", "as many lines as fit");
  if (!found.set_sizes.empty()) {
    words("set_sizes", fmt::format("{}", fmt::join(found.set_sizes, " ")), "each set filled by itself", "");
    facts.back().unit = "count";
  }
  count("fit_lines", found.fit_lines, "count", "lines of all sets in turn, as many as fit");
  facts.push_back(policy_fact(space + ".policy", found));
  if (!found.policy.victims.empty()) {
    std::vector<std::string> shares;
    for (const double share : found.policy.victims) shares.push_back(fmt::format("{:.3f}", share));
    words("victim_shares", fmt::format("{}", fmt::join(shares, " ")), "of the ways, in the order in which they fill",
          "");
    facts.back().unit = "count";
    facts.back().verdict = FactVerdict::measured;
  }
  return facts;
}

// Whether an access in a different way brings the line into the cache for the usual kind of access.
Fact allocation_by(Machine& machine, const std::string& with, const Level& level, Prober& prober) {
  const auto& info = machine.info();
  const std::string quantity = fmt::format("{}.{}_allocates", info.space, with == "st" ? "store" : with);
  if (level.next_cycles <= level.cycles) return series::inferred(quantity, "", "count", "", level.reason);
  constexpr int tries = 15;
  int hits = 0;
  for (int i = 0; i < tries; ++i) {
    const Addresses line{prober.random()() % prober.span(), 0, 1};
    machine.prepare();
    machine.access({line}, with, 0);
    hits += machine.access({line}, info.usual_operator(), 0).front() < (level.cycles + level.next_cycles) / 2;
  }
  const std::string how = fmt::format("{} of {} lines were there afterwards", hits, tries);
  if (hits != 0 && hits != tries) return series::inferred(quantity, "", "count", "", how);
  Fact fact = series::inferred(quantity, hits == 0 ? "0" : "1", "count", how, "");
  fact.verdict = FactVerdict::measured;
  fact.low = fact.high = hits == 0 ? 0 : 1;
  return fact;
}

}  // namespace

std::vector<Fact> infer_cache(Machine& machine, std::uint64_t seed) {
  const auto& operators = machine.info().operators;
  Prober prober(machine, seed);
  const Level level = infer_levels(prober, 1).front();
  auto facts = facts_of(machine.info().space, level);
  for (std::size_t i = 1; i < operators.size(); ++i)
    facts.push_back(allocation_by(machine, operators[i], level, prober));
  return facts;
}

}  // namespace ptxlat::memory
