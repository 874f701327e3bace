// SPDX-License-Identifier: Apache-2.0
#include "memory/conflict_set.h"

#include <algorithm>
#include <set>

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
  constexpr int tries = 5;
  // Few enough that most tries leave out no member of a conflict set.
  const std::size_t few = std::max<std::size_t>(lines.size() / (4 * most_ways), 1);
  if (lines.size() <= 8 * most_ways) return false;
  for (int i = 0; i < tries; ++i) {
    Lines rest = lines;
    std::shuffle(rest.begin(), rest.end(), prober.random());
    rest.resize(rest.size() - few);
    if (!prober.fits(rest)) return false;
  }
  return true;
}

// A conflict set from lines that do not fit.
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

}  // namespace

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

}  // namespace ptxlat::memory
