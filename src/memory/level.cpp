// SPDX-License-Identifier: Apache-2.0
#include "memory/level.h"

#include <fmt/format.h>

#include <algorithm>

#include "memory/cache.h"
#include "memory/capacity.h"
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

constexpr std::size_t most_ways = 512;

// One line fewer than a conflict set has, and that set; with as much patience as the machine needs. `conflicting` finds
// a conflict set.
struct FullSet {
  Lines full, conflict;
  std::uint64_t capacity = 0;  // if the data array holds fewer lines than the tags
};
template <class Conflicting>
FullSet find_full_set(Prober& prober, const Conflicting& conflicting) {
  constexpr int most_patience = 1024;
  for (; prober.patience() <= most_patience; prober.set_patience(16 * prober.patience())) {
    const Conflict conflict = conflicting();
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

// From lines that do not fit although nothing known keeps them from it, what else limits them.
std::optional<SetLimit> find_limit(Prober& prober, Level& level, const Structure& known, const Lines& lines) {
  const auto set = find_full_set(prober, [&] { return smallest_conflict(prober, lines, most_ways); });
  if (set.full.empty()) return std::nullopt;
  if (level.line_bytes == 0) level.line_bytes = find_line(prober, set);
  if (level.line_bytes == 0) return std::nullopt;
  Lines full = set.full;
  for (auto& line : full) line -= line % level.line_bytes;
  const auto index = find_set_index(prober, full, level.line_bytes, known);
  if (!index) return std::nullopt;
  const auto found = limit_of(prober, *index, full.size(), nullptr);
  return found.is_known ? std::optional(found.limit) : std::nullopt;
}

// Tests the structure on lines that it was not inferred from. Lines that do not fit although they should show what else
// limits them: then the structure has that too, and is tested again.
bool test_structure(Prober& prober, Level& level, Structure& structure) {
  constexpr std::size_t most_limits = 3;
  for (;;) {
    const auto wrong = find_disagreement(prober, structure, level.line_bytes, level.sector_bytes);
    if (!wrong) return true;
    level.reason = wrong->what + ", which the sets do not predict";
    if (wrong->lines.empty() || structure.limits.size() == most_limits) return false;
    auto limit = find_limit(prober, level, structure, wrong->lines);
    if (!limit) return false;
    structure.limits.push_back(std::move(*limit));
    structure.most_lines = 0;
    const auto lines = lines_that_fill(structure, level.line_bytes, prober.span());
    level.fit_lines = structure.most_lines = measured_capacity(prober, lines);
    level.reason.clear();
  }
}

// The limit with the most sets is that of the tags.
void take_structure(Level& level, Structure structure) {
  auto& limits = structure.limits;
  std::sort(limits.begin(), limits.end(),
            [](const SetLimit& a, const SetLimit& b) { return a.index.sets > b.index.sets; });
  if (limits.size() > 1) level.data = std::move(limits[1]);
  const auto& tags = limits.front();
  level.ways = tags.ways;
  level.index = tags.index;
  level.set_sizes.clear();
  for (std::uint64_t set = 0; !tags.sizes.empty() && set < tags.index.sets; ++set)
    level.set_sizes.push_back(tags.size_of(set));
  std::sort(level.set_sizes.rbegin(), level.set_sizes.rend());
}

// The sets of the innermost level, of which everything can be accessed: only if they predict.
void take_if_tested(Prober& prober, Level& level, Structure structure) {
  level.is_tested = test_structure(prober, level, structure) && !structure.limits.empty();
  if (level.is_tested) return take_structure(level, std::move(structure));
  level.index.reset();
  level.ways = 0;
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
    set = find_full_set(prober, [&] { return find_conflict(prober, level.sector_bytes, most_ways); });
    if (set.full.empty()) {
      level.fit_lines = set.capacity;
      level.reason = set.capacity != 0 ? "there are fewer lines than would fill a set that is found by their addresses"
                                       : "no lines were found that do not fit";
      break;
    }
    sizes.push_back(set.full.size());
    level.line_bytes = find_line(prober, set);
    if (level.line_bytes == 0) continue;
    for (Lines* lines : {&set.full, &set.conflict})
      for (auto& line : *lines) line -= line % level.line_bytes;
    level.ways = set.full.size();  // even if the index is not found
    level.index = find_set_index(prober, set.full, level.line_bytes, {});
  }
  if (set.full.empty()) {
    if (set.capacity != 0 && inner == nullptr) take_if_tested(prober, level, {{}, set.capacity});
  } else if (level.line_bytes == 0) {
    level.reason = "two lines gave different sizes of a line";
    return;
  } else if (level.index) {
    const auto found = limit_of(prober, *level.index, set.full.size(), inner);
    level.ways = found.limit.ways;
    if (!found.is_known && inner == nullptr) {
      level.reason = "sets hold different numbers of lines, and there are too many to fill each";
      level.index.reset();
      level.ways = 0;
    } else if (found.is_known) {
      level.fit_lines = capacity_of(prober, found.limit, inner);
      Structure structure{{found.limit}, level.fit_lines};
      if (inner == nullptr)
        take_if_tested(prober, level, std::move(structure));
      else
        take_structure(level, std::move(structure));
    }
  } else {
    level.ways = set.full.size();
    level.reason = "neither a modulus nor a linear hash predicts which lines share a set";
    // The background may take part of the set; without a background, all sets that were found must have the same
    // number.
    if (inner != nullptr || std::count(sizes.begin(), sizes.end(), level.ways) != targets) level.ways = 0;
  }
  if (level.ways == 0) return;
  // Of one set, by its lines: sets may differ, and so may the number of individually found lines that a set holds.
  Lines members = set.conflict;
  std::size_t ways = level.ways;
  if (level.index) {
    const std::uint64_t number = members.empty() ? 0 : level.index->set_of(members.front());
    if (inner != nullptr) prober.set_background(cover_of(*inner, prober.span(), &*level.index, number));
    ways = ways_of(prober, *level.index, number, level.ways);
    const auto more = level.index->lines_of(number, 2 * ways, prober.span());
    if (more.size() > members.size() || level.data) members = more;
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
