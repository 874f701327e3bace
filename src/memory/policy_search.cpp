// SPDX-License-Identifier: Apache-2.0
#include "memory/policy_search.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "memory/policy.h"

namespace ptxlat::memory {

namespace {

using String = std::vector<std::size_t>;  // of indices into the lines

// More lines than ways, up to twice as many: some strings keep most of them out, others nearly none.
String random_string(Prober& prober, std::size_t lines, std::size_t ways) {
  const std::size_t most = std::min(lines, 2 * ways);
  const std::size_t used = ways + 1 + prober.random()() % (most - ways);
  String string(8 * ways + 16);
  for (auto& index : string) index = prober.random()() % used;
  return string;
}

std::vector<bool> seen(Prober& prober, const Lines& lines, const String& string) {
  Lines addresses;
  for (const auto index : string) addresses.push_back(lines[index]);
  return prober.misses_from_cold(addresses);
}

std::vector<bool> predicted(const PolicyKind& kind, std::size_t ways, const String& string) {
  CacheSet set(ways, make_policy(kind, ways));
  std::vector<bool> misses;
  for (const auto index : string) misses.push_back(!set.access(index));
  return misses;
}

// A string on which two policies differ; empty if none of many strings shows a difference.
String difference(Prober& prober, const PolicyKind& x, const PolicyKind& y, std::size_t lines, std::size_t ways) {
  for (int i = 0; i < 200; ++i) {
    String string = random_string(prober, lines, ways);
    if (predicted(x, ways, string) != predicted(y, ways, string)) return string;
  }
  return {};
}

bool repeats_itself(Prober& prober, const Lines& lines, std::size_t ways) {
  for (int i = 0; i < 4; ++i) {
    const String string = random_string(prober, lines.size(), ways);
    const auto first = seen(prober, lines, string);
    for (int repeat = 0; repeat < 3; ++repeat)
      if (seen(prober, lines, string) != first) return false;
  }
  return true;
}

// With one more line than ways, exactly one is not in the set: the next miss shows which, and so the victim of the
// previous miss. The line that missed has the victim's way.
std::vector<double> victims_of(Prober& prober, const Lines& lines, std::size_t ways) {
  const std::size_t laps = std::min<std::size_t>(400, prober.info().most_accesses / (ways + 1) - 1);
  String string(ways);
  std::iota(string.begin(), string.end(), 0);
  for (std::size_t i = 0; i < laps * (ways + 1); ++i) string.push_back((ways + i) % (ways + 1));
  const auto misses = seen(prober, lines, string);
  std::vector<std::size_t> way_of(ways + 1);
  std::iota(way_of.begin(), way_of.end(), 0);
  std::vector<double> count(ways);
  std::optional<std::size_t> came;  // the line of the previous miss
  for (std::size_t i = ways; i < string.size(); ++i) {
    if (!misses[i]) continue;
    if (came) {
      const std::size_t way = way_of[string[i]];
      ++count[way];
      way_of[*came] = way;
    }
    came = string[i];
  }
  const double total = std::accumulate(count.begin(), count.end(), 0.0);
  for (double& one : count) one = total > 0 ? one / total : 0;
  return count;
}

}  // namespace

FoundPolicy find_policy(Prober& prober, const Lines& lines, std::size_t ways) {
  if (lines.size() <= ways) return {};
  if (!repeats_itself(prober, lines, ways)) return {"random", 0, victims_of(prober, lines, ways)};
  auto left = deterministic_policies(ways);
  const auto keep = [&](const String& string) {
    const auto misses = seen(prober, lines, string);
    std::erase_if(left, [&](const PolicyKind& kind) { return predicted(kind, ways, string) != misses; });
  };
  for (int i = 0; i < 12 && !left.empty(); ++i) keep(random_string(prober, lines.size(), ways));
  // The remaining policies behave identically, or differ in cases that random strings seldom reach.
  for (std::size_t i = 1; i < left.size();) {
    const String string = difference(prober, left.front(), left[i], lines.size(), ways);
    if (string.empty()) {
      ++i;
    } else {
      keep(string);
      i = 1;
    }
  }
  if (left.empty()) return {};
  FoundPolicy found{left.front().name, 0, {}};
  for (; found.strings < 12; ++found.strings) {
    const String string = random_string(prober, lines.size(), ways);
    if (seen(prober, lines, string) != predicted(left.front(), ways, string)) return {};
  }
  return found;
}

}  // namespace ptxlat::memory
