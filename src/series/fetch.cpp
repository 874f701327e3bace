// SPDX-License-Identifier: Apache-2.0
#include "series/fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

#include "base/quantile.h"

namespace ptxlat::series {

using results::FactVerdict;

Finding find_spacing(const Curve& curve, double least) {
  const double usual = quantile_of(curve.y, 0.25);  // half of them may be late
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    if (curve.y[i] - usual > least) places.push_back(std::llround(curve.x[i]));
  }
  constexpr std::size_t fewest = 4;
  if (places.size() < fewest)
    return undetermined(fmt::format("{} of {} values stand out of {:.4g}", places.size(), curve.y.size(), usual));
  std::int64_t spacing = 0;
  const auto chosen = (places.size() + 1) / 2, held_out = places.size() - chosen;
  for (std::size_t i = 1; i < chosen; ++i) spacing = std::gcd(spacing, places[i] - places.front());
  std::size_t predicted = 0;
  for (std::size_t i = chosen; i < places.size(); ++i) predicted += (places[i] - places.front()) % spacing == 0 ? 1 : 0;
  const auto how = fmt::format("{} values stand out of {:.4g}; the first half predicted {} of {} others", places.size(),
                               usual, predicted, held_out);
  if (predicted < held_out) return undetermined(how);
  const auto value = static_cast<double>(spacing);
  return {value, value, value, how, FactVerdict::inferred};
}

Finding find_disturbed(const FactRule& rule, const Curve& curve, double slack) {
  constexpr std::size_t levels = 4;
  if (rule.levels.size() < levels) return undetermined("`levels` needs four names");
  if (curve.y.size() < levels) return undetermined("there are too few places");
  std::size_t disturbed = 0;
  for (std::size_t i = 1; i < curve.y.size(); ++i) disturbed += curve.y[i] - curve.y.front() > slack ? 1 : 0;
  const std::size_t level = disturbed < 2 ? disturbed : 2 * disturbed < curve.y.size() ? 2 : 3;
  Finding found = undetermined(
      fmt::format("{} of {} are slower than the first, {:.4g}", disturbed, curve.y.size() - 1, curve.y.front()));
  found.word = rule.levels[level];
  return found;
}

Finding find_stride_ways(const FactRule& rule, const results::Series& series, const SeriesGroup& group) {
  if (series.axes.size() < 2) return undetermined("there are not two axes");
  // For each stride, how many targets are visited before a visit costs more than `least`.
  std::map<double, std::optional<double>> fitting;
  std::map<double, bool> is_over;
  const auto stride = series.axes.size() - 2, visited = series.axes.size() - 1;
  for (const auto& point : group.points) {
    const double distance = series.axes[stride].values[point.places[stride]];
    const double count = series.axes[visited].values[point.places[visited]];
    auto& fits = fitting[distance];
    auto& over = is_over[distance];
    over = over || point.value / count > rule.least;
    if (!over) fits = count;
  }
  if (fitting.size() < 2) return undetermined("there are too few strides");
  const auto [far, most] = *fitting.rbegin();
  const auto [near, more] = *std::next(fitting.rbegin());
  if (!most || !more || !is_over[far] || !is_over[near])
    return undetermined(fmt::format("not every number of targets up to {:.15g} shows a set that overflows",
                                    series.axes[visited].values.back()));
  // Beyond the size of a way all strides meet one set; at half of it, they share two.
  const double once = std::abs(*more - *most), twice = std::abs(*more / 2 - *most);
  const double other = once <= twice ? *more : std::floor(*more / 2);
  const auto how = fmt::format("{:.15g} targets {:.15g} bytes apart, and {:.15g} of them {:.15g} bytes apart", *most,
                               far, *more, near);
  if (std::min(once, twice) > 1) return undetermined(how + ": neither as many nor twice as many");
  return {most, std::min(*most, other), std::max(*most, other), how, FactVerdict::inferred};
}

}  // namespace ptxlat::series
