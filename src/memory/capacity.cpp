// SPDX-License-Identifier: Apache-2.0
#include "memory/capacity.h"

#include <algorithm>
#include <map>

namespace ptxlat::memory {

Lines cover_of(const Level& level, std::uint64_t half, const SetIndex* behind, std::uint64_t avoided) {
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

namespace {

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

// How many lines each set holds, for a few sets or all.
std::map<std::uint64_t, std::size_t> sizes_of_sets(Prober& prober, const SetIndex& index, std::size_t about,
                                                   const Level* inner) {
  constexpr std::uint64_t few = 64, sample = 9;
  std::map<std::uint64_t, std::size_t> sizes;
  for (std::uint64_t i = 0; i < (index.sets <= few ? index.sets : sample); ++i) {
    const std::uint64_t set = index.sets <= few ? i : prober.random()() % index.sets;
    if (inner != nullptr) prober.set_background(cover_of(*inner, prober.span(), &index, set));
    sizes[set] = ways_of(prober, index, set, about);
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

}  // namespace

FoundLimit limit_of(Prober& prober, const SetIndex& index, std::size_t about, const Level* inner) {
  const Lines background = prober.background();
  auto sizes = sizes_of_sets(prober, index, about, inner);
  prober.set_background(background);
  FoundLimit found{{index, most_common(sizes), {}}, true};
  const bool are_all = sizes.size() == index.sets;
  std::erase_if(sizes, [&](const auto& s) { return s.second == found.limit.ways; });
  found.is_known = sizes.empty() || are_all;
  if (found.is_known) found.limit.sizes = std::move(sizes);
  return found;
}

std::uint64_t measured_capacity(Prober& prober, const Lines& lines) {
  const auto fits = [&](std::size_t count) {
    return prober.fits({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count)});
  };
  return fits(lines.size()) ? lines.size() : last_that_holds(0, lines.size(), fits);
}

std::uint64_t capacity_of(Prober& prober, const SetLimit& limit, const Level* inner) {
  const std::uint64_t all = limit.lines();
  if (inner != nullptr) {
    // The background takes places too: whether all sets can be full at once is not tested.
    return all;
  }
  const auto lines = balanced(prober, limit.index, [&](std::uint64_t set) { return limit.size_of(set); });
  if (lines.size() < all) return 0;
  return measured_capacity(prober, lines);
}

}  // namespace ptxlat::memory
