// SPDX-License-Identifier: Apache-2.0
#include "series/series_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ptxlat::series {

namespace {

// Least squares through the points that `wanted` selects.
template <class Wanted>
std::optional<std::pair<double, double>> fit(const Curve& curve, Wanted wanted) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!wanted(i)) continue;
    n += 1;
    sx += curve.x[i];
    sy += curve.y[i];
    sxx += curve.x[i] * curve.x[i];
    sxy += curve.x[i] * curve.y[i];
  }
  const double spread = n * sxx - sx * sx;
  if (n < 2 || spread <= 0) return std::nullopt;
  const double b = (n * sxy - sx * sy) / spread;
  return std::pair((sy - b * sx) / n, b);
}

}  // namespace

std::optional<Line> line_through(const Curve& curve, double relative, double least) {
  const auto points = curve.x.size();
  // With three points or fewer, none could be held out.
  const bool holds_out = points > 3;
  const auto fitted = fit(curve, [&](std::size_t i) { return !holds_out || i % 2 == 0 || i + 1 == points; });
  if (!fitted) return std::nullopt;
  Line line{fitted->first, fitted->second, fitted->second, fitted->second};
  for (std::size_t i = 0; i < points; ++i) {
    if (!holds_out || i % 2 == 0 || i + 1 == points) continue;
    ++line.held_out;
    const double expected = line.a + line.b * curve.x[i];
    if (std::abs(curve.y[i] - expected) > std::max(least, relative * std::abs(curve.y[i]))) ++line.misses;
  }
  if (holds_out) {
    for (const bool upper : {false, true}) {
      const auto half = fit(curve, [&](std::size_t i) { return (i >= points / 2) == upper; });
      if (!half) continue;
      line.low = std::min(line.low, half->second);
      line.high = std::max(line.high, half->second);
    }
  }
  return line;
}

std::vector<Plateau> plateaus_of(const Curve& curve, double relative) {
  constexpr std::size_t shortest = 3;
  std::vector<Plateau> found;
  for (std::size_t begin = 0; begin + shortest <= curve.y.size();) {
    // As long as all of its values are close to its median.
    std::size_t end = begin;
    while (end < curve.y.size()) {
      std::vector<double> values(curve.y.begin() + static_cast<std::ptrdiff_t>(begin),
                                 curve.y.begin() + static_cast<std::ptrdiff_t>(end + 1));
      const double middle = median_of(values);
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const double allowed = relative * std::abs(middle);
      if (*high - middle > allowed || middle - *low > allowed) break;
      ++end;
    }
    if (end - begin < shortest) {
      ++begin;
      continue;
    }
    std::vector<double> values(curve.y.begin() + static_cast<std::ptrdiff_t>(begin),
                               curve.y.begin() + static_cast<std::ptrdiff_t>(end));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    found.push_back({median_of(values), *low, *high, curve.x[end - 1]});
    begin = end;
  }
  return found;
}

std::vector<Cluster> clusters_of(std::vector<double> values, std::size_t count) {
  std::sort(values.begin(), values.end());
  const auto size = values.size();
  if (count == 0 || size < count) return {};
  // Prefix sums give the variance of each range; `best[k][i]` is the smallest variance that k ranges of the first i
  // values leave.
  std::vector<double> sum(size + 1, 0), squares(size + 1, 0);
  for (std::size_t i = 0; i < size; ++i) {
    sum[i + 1] = sum[i] + values[i];
    squares[i + 1] = squares[i] + values[i] * values[i];
  }
  const auto cost = [&](std::size_t from, std::size_t to) {
    const double total = sum[to] - sum[from];
    return squares[to] - squares[from] - total * total / static_cast<double>(to - from);
  };
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> best(count + 1, std::vector<double>(size + 1, none));
  std::vector<std::vector<std::size_t>> split(count + 1, std::vector<std::size_t>(size + 1, 0));
  best[0][0] = 0;
  for (std::size_t k = 1; k <= count; ++k) {
    for (std::size_t to = k; to <= size; ++to) {
      for (std::size_t from = k - 1; from < to; ++from) {
        // A cluster ends only where the value changes.
        if (best[k - 1][from] == none || (from > 0 && values[from] == values[from - 1])) continue;
        const double whole = best[k - 1][from] + cost(from, to);
        if (whole < best[k][to]) best[k][to] = whole, split[k][to] = from;
      }
    }
  }
  if (best[count][size] == none) return {};
  std::vector<Cluster> clusters(count);
  for (auto [k, to] = std::pair(count, size); k > 0; --k) {
    const auto from = split[k][to];
    const std::vector<double> members(values.begin() + static_cast<std::ptrdiff_t>(from),
                                      values.begin() + static_cast<std::ptrdiff_t>(to));
    clusters[k - 1] = {median_of(members), quantile_of(members, 0.05), quantile_of(members, 0.95), members.size()};
    to = from;
  }
  return clusters;
}

}  // namespace ptxlat::series
