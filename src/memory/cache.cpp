// SPDX-License-Identifier: Apache-2.0
#include "memory/cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>

#include "memory/level.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

constexpr std::size_t few_lines = 512;

// `count` lines at multiples of `step`, in random order, which neither a policy nor a prefetcher has seen before.
Lines strided(Prober& prober, std::uint64_t step, std::uint64_t count) {
  Lines lines(count);
  for (std::uint64_t i = 0; i < count; ++i) lines[i] = i * step;
  std::shuffle(lines.begin(), lines.end(), prober.random());
  return lines;
}

// Among lines that do not fit, those that miss after there was time to place them: all are in overfull sets. Which of a
// set's lines miss depends on its policy, so the order changes from lap to lap, and in some laps each line is accessed
// twice, so that a new line counts as used.
Lines that_miss(Prober& prober, Lines lines) {
  constexpr int laps = 6;
  prober.prepare();
  for (int lap = 0; lap < prober.patience() - 1; ++lap) prober.lap(lines);
  std::set<std::uint64_t> found;
  for (int lap = 0; lap < laps && prober.can_access(2 * lines.size() + prober.background().size()); ++lap) {
    std::shuffle(lines.begin(), lines.end(), prober.random());
    const std::uint64_t times = 1 + static_cast<std::uint64_t>(lap % 2);
    const auto cycles = prober.lap(lines, times);
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (prober.is_miss(cycles[times * i])) found.insert(lines[i]);
  }
  return {found.begin(), found.end()};
}

// The shortest prefix that does not fit.
Lines shortest_prefix(Prober& prober, const Lines& lines) {
  std::size_t fits = 0, thrashes = lines.size();
  while (thrashes - fits > 1) {
    const std::size_t middle = fits + (thrashes - fits) / 2;
    (prober.fits({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(middle)}) ? fits : thrashes) = middle;
    // When only a few sets are overfull, their lines are easy to find.
    if (thrashes == middle && thrashes > 4 * few_lines) {
      const Lines some(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(thrashes));
      auto missing = that_miss(prober, some);
      if (missing.size() <= few_lines && !prober.fits(missing)) return shortest_prefix(prober, missing);
    }
  }
  return {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(thrashes)};
}

// Whether leaving out any few of the lines makes the rest fit.
bool is_one_too_many(Prober& prober, const Lines& lines, std::size_t most_ways) {
  constexpr int tries = 12;
  // Few enough that every second try leaves out no member of a conflict set.
  const std::size_t few = std::max<std::size_t>(lines.size() / (4 * most_ways), 1);
  if (lines.size() <= 2 * most_ways) return false;
  for (int i = 0; i < tries; ++i) {
    Lines rest = lines;
    std::shuffle(rest.begin(), rest.end(), prober.random());
    rest.resize(rest.size() - few);
    if (!prober.fits(rest)) return false;
  }
  return true;
}

}  // namespace

Conflict smallest_conflict(Prober& prober, Lines lines, std::size_t most) {
  lines = shortest_prefix(prober, lines);
  // If few sets are overfull, the misses are exactly their lines.
  if (auto missing = that_miss(prober, lines); missing.size() < lines.size() / 2 && !prober.fits(missing))
    lines = shortest_prefix(prober, missing);
  if (is_one_too_many(prober, lines, most)) return {{}, lines.size() - 1};
  // The last line is a member: without it the others fit. From the rest, groups are left out as long as the remainder
  // does not fit; the group size adapts to how often that works.
  std::size_t group = std::max<std::size_t>(lines.size() / 8, 1);
  std::size_t certain = 1;  // at the end of `lines`
  int refused = 0;
  while (certain < lines.size()) {
    group = std::min(group, lines.size() - certain);
    Lines rest(lines.begin() + static_cast<std::ptrdiff_t>(group), lines.end());
    if (!prober.fits(rest)) {
      lines = std::move(rest);
      refused = 0;
      continue;
    }
    if (group == 1) {
      ++certain;
      if (certain > most + 1) return {};
      // A member: moved after the certain ones.
      std::rotate(lines.begin(), lines.begin() + 1, lines.end());
      group = std::max<std::size_t>((lines.size() - certain) / (certain + 2), 1);
      refused = 0;
      continue;
    }
    // This group has members, but the next may not.
    std::rotate(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(group),
                lines.end() - static_cast<std::ptrdiff_t>(certain));
    if (++refused >= 2) {
      group = std::max<std::size_t>(group / 2, 1);
      refused = 0;
    }
  }
  return {std::move(lines), 0};
}

Conflict find_conflict(Prober& prober, std::uint64_t step, std::size_t most_ways) {
  // Many caches put lines a power of two apart into one set: with wider steps, fewer lines are needed to exceed it.
  const std::uint64_t most_lines = std::min<std::uint64_t>(1 << 18, prober.info().most_accesses / 2);
  for (std::uint64_t count = 2; count * step <= prober.span() && count <= most_lines; count *= 2) {
    const auto lines = strided(prober, prober.span() / count, count);
    if (prober.fits(lines)) continue;
    if (auto found = smallest_conflict(prober, lines, most_ways); !found.lines.empty() || found.capacity != 0)
      return found;
  }
  return {};
}

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

constexpr const char* no_hash = "no address bit is left, or the number of sets is not a power of two";

std::string columns_text(const SetIndex& index) {
  std::vector<std::string> columns;
  for (const auto column : index.other_columns()) columns.push_back(fmt::format("{:#x}", column));
  return fmt::format("{}", fmt::join(columns, " "));
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
  count("tag_sets", found.index ? found.index->sets : 0, "count",
        "the set index, which predicted fresh lines, odd strides among them");
  if (found.index) {
    const auto others = found.index->other_columns();
    const bool is_modulo = std::all_of(others.begin(), others.end(), [](auto column) { return column == 0; });
    words("index", is_modulo ? "modulo" : "hash",
          is_modulo ? "line number modulo sets, which predicted fresh lines"
                    : "exclusive or of address bits, which predicted fresh lines",
          "");
    words("hash_columns", columns_text(*found.index),
          "of the address bits that are not in the index themselves, from the lowest; the others are its unit vectors",
          no_hash);
  } else {
    words("index", "", "", index_reason);
    words("hash_columns", "", "", index_reason);
  }
  if (found.index)
    words("index_bits", index_bits(*found.index, found.line_bytes), "address bits that the set depends on", "one set");
  else
    words("index_bits", "", "", index_reason);
  const auto capacity = [&](const char* quantity, std::uint64_t value, const char* unit, const char* how) {
    count(quantity, value, unit, how);
    if (value != 0 && !found.is_tested) facts.back().verdict = FactVerdict::measured;
  };
  capacity("bytes", found.fit_lines * found.line_bytes, "bytes", "as many lines as fit");
  if (!found.set_sizes.empty()) {
    words("set_sizes", fmt::format("{}", fmt::join(found.set_sizes, " ")), "each set filled by itself", "");
    facts.back().unit = "count";
  }
  capacity("fit_lines", found.fit_lines, "count", "lines of all sets in turn, as many as fit");
  if (found.data) {
    count("data_parts", found.data->index.sets, "count", "lines share the data array otherwise than the tags");
    count("data_part_lines", found.data->ways, "count", "lines of one part that fit");
    words("data_hash_columns", columns_text(found.data->index), "as `hash_columns`, for the parts of the data array",
          no_hash);
  }
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
