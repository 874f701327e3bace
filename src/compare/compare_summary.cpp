// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/quantile.h"
#include "compare/compare_write.h"

namespace ptxlat::compare {

namespace {

void count(CauseCounts& counts, Cause cause) {
  if (cause != Cause::only_in_a && cause != Cause::only_in_b) ++counts.compared;
  if (cause == Cause::unchanged) {
    ++counts.unchanged;
    return;
  }
  const auto place = std::lower_bound(counts.causes.begin(), counts.causes.end(), cause,
                                      [](const auto& entry, Cause value) { return entry.first < value; });
  if (place != counts.causes.end() && place->first == cause) {
    ++place->second;
  } else {
    counts.causes.insert(place, {cause, 1});
  }
}

// Sorted by the change of the leading number in either direction.
std::vector<const Difference*> extremes(const Comparison& comparison, bool gains) {
  struct Extreme {
    double ratio;
    const Difference* row;
  };
  std::vector<Extreme> found;
  for (const Difference& row : comparison.rows) {
    const std::optional<double> ratio = leading_of(comparison, row).ratio();
    if (ratio && (gains ? *ratio < 1 : *ratio > 1)) found.push_back({gains ? 1 / *ratio : *ratio, &row});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Extreme& left, const Extreme& right) { return left.ratio > right.ratio; });
  std::vector<const Difference*> rows;
  rows.reserve(found.size());
  for (const Extreme& extreme : found) rows.push_back(extreme.row);
  return rows;
}

}  // namespace

Group compare_all(const std::vector<Side>& sides) {
  Group group;
  for (std::size_t i = 1; i < sides.size(); ++i) group.comparisons.push_back(compare_tables(sides.front(), sides[i]));
  if (sides.size() > 2) group.matrix = matrix_of(sides);
  return group;
}

Group compare_steps(const std::vector<Side>& sides) {
  Group group;
  for (std::size_t i = 1; i < sides.size(); ++i) group.comparisons.push_back(compare_tables(sides[i - 1], sides[i]));
  return group;
}

Summary summarize(const Comparison& comparison) {
  Summary summary;
  std::map<std::string, CauseCounts> chapters;
  std::vector<double> ratios;
  for (const Difference& row : comparison.rows) {
    count(summary.total, row.cause);
    count(chapters[row.record().chapter], row.cause);
    const Numbers numbers = headline_of(comparison, row);
    if (!numbers.change()) continue;
    ++(*numbers.b < *numbers.a ? summary.fewer : *numbers.b > *numbers.a ? summary.more : summary.equal);
    if (const std::optional<double> ratio = numbers.ratio()) ratios.push_back(*ratio);
  }
  for (const tables::Cell* cell : comparison.unchanged) {
    count(summary.total, Cause::unchanged);
    count(chapters[cell->record.chapter], Cause::unchanged);
    if (!headline_of(comparison, {cell, cell, Cause::unchanged}).a) continue;
    ++summary.equal;
    ratios.push_back(1);
  }
  summary.chapters.assign(chapters.begin(), chapters.end());
  summary.median_ratio = ratios.empty() ? 1 : median_of(ratios);
  summary.gains = extremes(comparison, true);
  summary.losses = extremes(comparison, false);
  return summary;
}

std::string list_text(const std::vector<std::string>& items, std::size_t most) {
  const std::vector<std::string> shown(items.begin(),
                                       items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), most)));
  const auto rest = items.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), rest == 0 ? "" : fmt::format(" and {} more", rest));
}

}  // namespace ptxlat::compare
