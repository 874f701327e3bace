// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ptxlat {

// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
inline std::size_t edit_distance(const std::string& x, const std::string& y) {
  std::vector<std::vector<std::size_t>> distance(x.size() + 1, std::vector<std::size_t>(y.size() + 1));
  for (std::size_t i = 0; i <= x.size(); ++i) {
    for (std::size_t j = 0; j <= y.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = distance[i - 1][j - 1] + (x[i - 1] == y[j - 1] ? 0 : 1);
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1];
      if (is_swap) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  }
  return distance[x.size()][y.size()];
}

// The `names` that `wanted` may be a misspelling of, nearest first.
inline std::vector<std::string> nearest_names(const std::string& wanted, const std::vector<std::string>& names,
                                              std::size_t limit = 3) {
  // The distance takes time and memory in proportion to the product of both lengths, and a name that fills a page is
  // not a misspelling.
  constexpr std::size_t longest = 256;
  if (wanted.size() > longest) return {};
  // Up to a third of the letters may be wrong.
  const std::size_t tolerance = (wanted.size() + 2) / 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    if (name.size() > wanted.size() + tolerance) continue;
    const std::size_t distance = edit_distance(wanted, name);
    if (distance <= tolerance && distance < std::max(wanted.size(), name.size())) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(limit, near.size()); ++i) nearest.push_back(near[i].second);
  return nearest;
}

// "did you mean add, and? ", before other advice; nothing if no name is near.
inline std::string did_you_mean(const std::vector<std::string>& nearest) {
  return nearest.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(nearest, ", "));
}

}  // namespace ptxlat
