#include "infer/conflict_set.h"

#include <algorithm>
#include <set>

namespace ptxlat::infer {

namespace {

constexpr std::size_t few_lines = 512;

// `count` lines at multiples of `step`, in random order: an order that a policy or a prefetcher has not met before.
Lines strided(Prober& prober, std::uint64_t step, std::uint64_t count) {
  Lines lines(count);
  for (std::uint64_t i = 0; i < count; ++i) lines[i] = i * step;
  std::shuffle(lines.begin(), lines.end(), prober.random());
  return lines;
}

// Of lines that do not fit, those that miss once there has been time to place them: all are of sets that are too full.
// Which of a set's lines miss depends on its policy, so that the order changes from lap to lap, and in some laps each
// line is accessed twice, which makes a newcomer one that is used.
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

// The shortest beginning that does not fit.
Lines shortest_prefix(Prober& prober, const Lines& lines) {
  std::size_t fits = 0, thrashes = lines.size();
  while (thrashes - fits > 1) {
    const std::size_t middle = fits + (thrashes - fits) / 2;
    (prober.fits({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(middle)}) ? fits : thrashes) = middle;
    // As soon as few sets are too full, their lines show themselves.
    if (thrashes == middle && thrashes > 4 * few_lines) {
      const Lines some(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(thrashes));
      auto missing = that_miss(prober, some);
      if (missing.size() <= few_lines && !prober.fits(missing)) return shortest_prefix(prober, missing);
    }
  }
  return {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(thrashes)};
}

// Whether lines that just do not fit need nearly all of them for that: any few that are left out make the others fit.
bool is_one_too_many(Prober& prober, const Lines& lines, std::size_t most_ways) {
  constexpr int tries = 5;
  // Few enough that most tries leave out none of a conflict set.
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

// A conflict set out of lines that do not fit.
Conflict smallest_conflict(Prober& prober, Lines lines, std::size_t most) {
  lines = shortest_prefix(prober, lines);
  // Where the sets that are too full are few, what misses is all of theirs.
  if (auto missing = that_miss(prober, lines); missing.size() < lines.size() / 2 && !prober.fits(missing))
    lines = shortest_prefix(prober, missing);
  if (is_one_too_many(prober, lines, most)) return {{}, lines.size() - 1};
  // The last line is a member: without it the others fit. Of the rest, groups are left out as long as what stays does
  // not fit; the group's size follows how often that works.
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
      // A member: behind those that are certain.
      std::rotate(lines.begin(), lines.begin() + 1, lines.end());
      group = std::max<std::size_t>((lines.size() - certain) / (certain + 2), 1);
      refused = 0;
      continue;
    }
    // Members are in it, but perhaps not in the next.
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
  // Many caches give one set to lines a power of two apart: the wider the steps, the fewer lines do not fit.
  const std::uint64_t most_lines = std::min<std::uint64_t>(1 << 18, prober.info().most_accesses / 2);
  for (std::uint64_t count = 2; count * step <= prober.span() && count <= most_lines; count *= 2) {
    const auto lines = strided(prober, prober.span() / count, count);
    if (prober.fits(lines)) continue;
    if (auto found = smallest_conflict(prober, lines, most_ways); !found.lines.empty() || found.capacity != 0)
      return found;
  }
  return {};
}

}  // namespace ptxlat::infer
