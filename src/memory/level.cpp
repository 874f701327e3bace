// SPDX-License-Identifier: Apache-2.0
#include "memory/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "memory/cache.h"
#include "memory/prober.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

// The smallest distance from the start of a line at which a second access misses.
std::uint64_t find_sector(Prober& prober) {
  const auto brings = [&](std::uint64_t distance) {
    if (distance >= prober.span()) return false;
    for (int round = 0; round < 2; ++round)
      if (prober.misses_from_cold({0, distance})[1]) return false;
    return true;
  };
  const std::uint64_t sector = last_that_holds(brings) + 1;
  return sector < prober.span() ? sector : 0;
}

// One line fewer than a conflict set has, and that set; with as much patience as the machine needs.
struct FullSet {
  Lines full, conflict;
  std::uint64_t capacity = 0;  // if the data array holds fewer lines than the tags
};
FullSet find_full_set(Prober& prober, std::uint64_t sector) {
  constexpr std::size_t most_ways = 512;
  constexpr int most_patience = 1024;
  for (; prober.patience() <= most_patience; prober.set_patience(16 * prober.patience())) {
    const auto conflict = find_conflict(prober, sector, most_ways);
    if (conflict.lines.empty()) return {{}, {}, conflict.capacity};
    FullSet set{{conflict.lines.begin() + 1, conflict.lines.end()}, conflict.lines};
    // A machine that places lines at random while there is room misses for many laps before it settles: lines that do
    // not fit must keep missing, and lines that fit must do so each time.
    const int patience = prober.patience();
    prober.set_patience(64 * patience);
    bool is_settled = !prober.fits(set.conflict);
    prober.set_patience(patience);
    Lines again = set.full;
    for (int i = 0; i < 16 && is_settled; ++i) {
      std::shuffle(again.begin(), again.end(), prober.random());
      is_settled = prober.fits(again);
    }
    if (is_settled) return set;
  }
  return {};
}

// The line size, if the extents of several members agree and each begins at a multiple of it.
std::uint64_t find_line(Prober& prober, const FullSet& set) {
  std::uint64_t line = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(set.full.size(), 2); ++i) {
    const Extent extent = extent_of_line(prober, set.full, set.conflict, set.full[i]);
    const std::uint64_t bytes = extent.end - extent.begin;
    if (extent.begin % bytes != 0 || (line != 0 && bytes != line)) return 0;
    line = bytes;
  }
  return line;
}

// Lines above the span that flush a level; none of them in set `avoided` of the next level. There are more than the
// level holds, so that they themselves miss it in each lap: otherwise the next level would only see them in some laps,
// and results there would depend on which.
Lines cover_of(const Level& level, std::uint64_t half, const SetIndex* behind = nullptr, std::uint64_t avoided = 0) {
  const std::size_t ways = level.set_sizes.empty() ? level.ways : level.set_sizes.front();
  const bool evicts_oldest = level.policy.name == "lru" || level.policy.name == "fifo";
  const std::size_t wanted = evicts_oldest ? ways + 1 : 3 * ways;
  Lines cover;
  for (std::uint64_t set = 0; set < level.index->sets; ++set) {
    std::size_t taken = 0;
    for (const auto line : level.index->lines_above(set, 16 * wanted, half)) {
      if (taken == wanted) break;
      if (behind != nullptr && behind->set_of(line) == avoided) continue;
      cover.push_back(line);
      ++taken;
    }
  }
  return cover;
}

std::size_t ways_of(Prober& prober, const SetIndex& index, std::uint64_t set, std::size_t about) {
  const auto fits = [&](std::size_t count) {
    const auto lines = index.lines_of(set, count, prober.span());
    return lines.size() == count && prober.fits(lines);
  };
  std::size_t good = 0, bad = about + 1;
  while (fits(bad)) {
    good = bad;
    bad *= 2;
  }
  if (good == 0 && fits(about)) return about;
  return last_that_holds(good, bad, fits);
}

// Lines of all sets, `size_of(set)` of each, a line of each set before the second of any.
template <class SizeOf>
Lines balanced(const Prober& prober, const SetIndex& index, const SizeOf& size_of) {
  std::vector<Lines> of_set(index.sets);
  std::size_t most = 0;
  for (std::uint64_t set = 0; set < index.sets; ++set) {
    of_set[set] = index.lines_of(set, size_of(set), prober.span());
    most = std::max(most, of_set[set].size());
  }
  Lines lines;
  for (std::size_t way = 0; way < most; ++way)
    for (const auto& one : of_set)
      if (way < one.size()) lines.push_back(one[way]);
  return lines;
}

// How many lines each set holds, for a few sets or all; `inner` is the level before this one, if there is one.
std::map<std::uint64_t, std::size_t> sizes_of_sets(Prober& prober, const Level& level, const Level* inner) {
  constexpr std::uint64_t few = 64, sample = 9;
  const SetIndex& index = *level.index;
  std::map<std::uint64_t, std::size_t> sizes;
  for (std::uint64_t i = 0; i < (index.sets <= few ? index.sets : sample); ++i) {
    const std::uint64_t set = index.sets <= few ? i : prober.random()() % index.sets;
    if (inner != nullptr) prober.set_background(cover_of(*inner, prober.span(), &index, set));
    sizes[set] = ways_of(prober, index, set, level.ways);
  }
  return sizes;
}

std::size_t most_common(const std::map<std::uint64_t, std::size_t>& sizes) {
  std::map<std::size_t, int> counts;
  for (const auto& [set, size] : sizes) ++counts[size];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& x, const auto& y) { return x.second < y.second; })
      ->first;
}

void find_capacity(Prober& prober, Level& level, const Level* inner) {
  const SetIndex& index = *level.index;
  const Lines background = prober.background();
  const auto sizes = sizes_of_sets(prober, level, inner);
  prober.set_background(background);
  level.ways = most_common(sizes);
  const bool are_equal = std::all_of(sizes.begin(), sizes.end(), [&](const auto& s) { return s.second == level.ways; });
  if (!are_equal && sizes.size() < index.sets) return;
  if (!are_equal) {
    for (const auto& [set, size] : sizes) level.set_sizes.push_back(size);
    std::sort(level.set_sizes.rbegin(), level.set_sizes.rend());
  }
  const auto size_of = [&](std::uint64_t set) { return are_equal ? level.ways : sizes.at(set); };
  std::uint64_t all = 0;
  for (std::uint64_t set = 0; set < index.sets; ++set) all += size_of(set);
  if (inner != nullptr) {
    // The background takes places too: whether all sets can be full at once is not tested.
    level.fit_lines = all;
    return;
  }
  const auto lines = balanced(prober, index, size_of);
  if (lines.size() < all) return;  // the memory is too small to fill it
  const auto fits = [&](std::size_t count) {
    return prober.fits({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count)});
  };
  level.fit_lines = fits(lines.size()) ? all : last_that_holds(0, lines.size(), fits);
}

// Each step needs the previous ones.
void infer_level(Prober& prober, Level& level, const Level* inner) {
  level.sector_bytes = find_sector(prober);
  if (level.sector_bytes == 0) {
    level.reason = "one access brings all of the memory";
    return;
  }
  // A conflict set that other accesses have disturbed gives an index that predicts nothing: then a different one is
  // tried.
  constexpr int targets = 3;
  FullSet set;
  std::vector<std::size_t> sizes;
  for (int target = 0; target < targets && !level.index; ++target) {
    set = find_full_set(prober, level.sector_bytes);
    if (set.full.empty()) {
      level.fit_lines = set.capacity;
      level.reason = set.capacity != 0 ? "there are fewer lines than would fill a set that is found by their addresses"
                                       : "no lines were found that do not fit";
      return;
    }
    sizes.push_back(set.full.size());
    level.line_bytes = find_line(prober, set);
    if (level.line_bytes == 0) continue;
    for (Lines* lines : {&set.full, &set.conflict})
      for (auto& line : *lines) line -= line % level.line_bytes;
    level.ways = set.full.size();  // even if the index is not found
    level.index = find_set_index(prober, set.full, level.line_bytes);
  }
  if (level.line_bytes == 0) {
    level.reason = "two lines gave different sizes of a line";
    return;
  }
  level.ways = set.full.size();
  Lines members = set.conflict;
  std::size_t ways = level.ways;
  if (level.index) {
    const std::uint64_t number = level.index->set_of(members.front());
    find_capacity(prober, level, inner);
    if (inner != nullptr) prober.set_background(cover_of(*inner, prober.span(), &*level.index, number));
    // For this set, with the lines that are used for its policy: sets may differ, and so may the number of individually
    // found lines that a set holds.
    ways = ways_of(prober, *level.index, number, level.ways);
    const auto more = level.index->lines_of(number, 2 * ways, prober.span());
    if (more.size() > members.size()) members = more;
  } else {
    level.reason = "neither a modulus nor a linear hash predicts which lines share a set";
    // The background may take part of the set; without a background, all sets that were found must have the same
    // number.
    if (inner != nullptr || std::count(sizes.begin(), sizes.end(), ways) != targets) ways = level.ways = 0;
  }
  if (ways != 0) level.policy = find_policy(prober, members, ways);
}

// Noise at the wrong moment makes a machine look as if it needed more patience than it can be given. Then everything is
// tried again with different lines.
void infer_with_patience(Prober& prober, Level& level, const Level* inner) {
  constexpr int attempts = 3;
  const Level before = level;
  const int patience = prober.patience();
  for (int attempt = 1;; ++attempt) {
    try {
      return infer_level(prober, level, inner);
    } catch (const TooManyAccesses&) {
      if (attempt == attempts || prober.is_exhausted()) throw;
      level = before;
      prober.set_patience(patience);
    }
  }
}

}  // namespace

std::vector<Level> infer_levels(Prober& prober, std::size_t most) {
  std::vector<Level> levels;
  try {
    const auto cycles = prober.find_levels();
    if (cycles.size() < 2) {
      levels.emplace_back().reason = "first and later accesses take the same time";
      return levels;
    }
    levels.reserve(most);  // a level is still used while the next is added
    for (std::size_t i = 0; i + 1 < cycles.size() && i < most; ++i) {
      const Level* inner = i == 0 ? nullptr : &levels[i - 1];
      Level& level = levels.emplace_back();
      level.cycles = cycles[i];
      level.next_cycles = cycles[i + 1];
      if (inner != nullptr && !inner->index) {
        level.reason = "the level before it is not known";
        continue;
      }
      prober.set_level(cycles[i], cycles[i + 1]);
      if (inner != nullptr) prober.set_background(cover_of(*inner, prober.span() / 2));
      infer_with_patience(prober, level, inner);
    }
  } catch (const TooManyAccesses& error) {
    if (levels.empty()) levels.emplace_back();
    levels.back().reason = error.what();
  }
  return levels;
}

results::Fact policy_fact(const std::string& quantity, const Level& level) {
  return series::inferred(quantity, level.policy.name, "text",
                          level.policy.name == "random"
                              ? "equal accesses from cold had different outcomes"
                              : fmt::format("predicted {} random strings of accesses", level.policy.strings),
                          level.ways == 0 ? level.reason : "no policy that is known here predicts the evictions");
}

}  // namespace ptxlat::memory
