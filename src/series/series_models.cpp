// SPDX-License-Identifier: Apache-2.0
#include "series/series_models.h"

#include <fmt/format.h>

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

std::optional<Fit> line_through(const Curve& curve, double relative, double least) {
  const auto points = curve.x.size();
  // With three points or fewer, none could be held out.
  const bool holds_out = points > 3;
  const auto fitted = fit(curve, [&](std::size_t i) { return !holds_out || i % 2 == 0 || i + 1 == points; });
  if (!fitted) return std::nullopt;
  Fit line{fitted->first, fitted->second, fitted->second, fitted->second};
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

using results::FactVerdict;

namespace {

Finding exactly(double value, const std::string& more, FactVerdict verdict = FactVerdict::measured) {
  return {value, value, value, more, verdict};
}

// The initial value: the middle of three similar values, so that noise in the very first does not move a knee.
double first_of(const Curve& curve, double slack) {
  const double first = curve.y.front();
  if (curve.y.size() < 3 || std::abs(curve.y[1] - first) > slack || std::abs(curve.y[2] - first) > slack) return first;
  return median_of({first, curve.y[1], curve.y[2]});
}

bool leaves_first(const Curve& curve, double slack, std::size_t i) {
  return std::abs(curve.y[i] - first_of(curve, slack)) > slack;
}

std::size_t first_that_leaves(const Curve& curve, double slack) {
  std::size_t end = 0;
  while (end < curve.y.size() && !leaves_first(curve, slack, end)) ++end;
  return end;
}

// The median of the last few values.
double last_of(const Curve& curve) {
  return median_of({curve.y.end() - std::min<std::ptrdiff_t>(3, std::ssize(curve.y)), curve.y.end()});
}

// The first place from `from` on whose value equals the last ones, as far as equal values differ: the cost of a miss is
// a few cycles in some curves, of which one more or less says nothing.
std::size_t first_full(const Curve& curve, double slack, std::size_t from) {
  constexpr double nearly = 0.85;
  const double last = last_of(curve);
  const double least = std::min(nearly * last, last - slack / 3);
  while (from < curve.y.size() && curve.y[from] < least) ++from;
  return from;
}

// Whether the last values are constant: if they still rise, the cost of a miss everywhere is unknown.
bool ends_level(const Curve& curve, double slack) {
  const auto first = curve.y.end() - std::min<std::ptrdiff_t>(3, std::ssize(curve.y));
  const auto [least, most] = std::minmax_element(first, curve.y.end());
  return *most - *least <= std::max(0.1 * *most, slack / 3);
}

constexpr const char* no_knee = "there is no knee";
constexpr const char* still_rising = "the values still rise where they end";

}  // namespace

Finding find_knee(const Curve& curve, double slack) {
  const auto end = first_that_leaves(curve, slack);
  if (end == curve.y.size()) return undetermined(fmt::format("there is no knee up to {:.15g}", curve.x.back()));
  const double last = curve.x[end - 1];
  // Where a capacity ends, nothing larger fits again.
  for (auto i = end + 1; i < curve.y.size(); ++i) {
    if (!leaves_first(curve, slack, i))
      return undetermined(fmt::format("{:.4g} up to {:.15g} and {:.4g} after it, but {:.4g} again at {:.15g}",
                                      curve.y[end - 1], last, curve.y[end], curve.y[i], curve.x[i]));
  }
  const std::size_t predicted = curve.y.size() - end - 1;
  // Whole numbers leave nothing undetermined between them.
  const double next = std::abs(curve.x[end] - last) == 1 ? last : curve.x[end];
  return {last, std::min(last, next), std::max(last, next),
          fmt::format("{:.4g} up to there, {:.4g} after it, and {} points further on", curve.y[end - 1], curve.y[end],
                      predicted),
          predicted >= 3 ? FactVerdict::inferred : FactVerdict::measured};
}

Finding find_period(const Curve& curve, double slack) {
  const auto first = first_that_leaves(curve, slack);
  if (first == curve.y.size()) return undetermined("all values are alike");
  const double period = curve.x[first];
  std::size_t predicted = 0;
  for (std::size_t i = first + 1; i < curve.y.size(); ++i) {
    if (leaves_first(curve, slack, i) != (std::fmod(curve.x[i], period) == 0))
      return undetermined(fmt::format("{:.15g} is the first, but not a period: {:.15g}", period, curve.x[i]));
    ++predicted;
  }
  return exactly(period, fmt::format("a period that predicted {} points", predicted),
                 static_cast<double>(predicted) > period ? FactVerdict::inferred : FactVerdict::measured);
}

Finding find_overlap(const Curve& curve) {
  // An access that does not wait for earlier ones adds little to the time of one; the first that waits adds its own
  // time.
  const double step = curve.y.front() / 4;
  std::size_t last = 0;
  while (last + 1 < curve.y.size() && curve.y[last + 1] - curve.y[last] < step) ++last;
  if (last + 1 == curve.y.size()) return undetermined(fmt::format("none waits up to {:.15g}", curve.x.back()));
  return exactly(curve.x[last], fmt::format("{:.4g} for one, {:.4g} for so many, {:.4g} for one more", curve.y.front(),
                                            curve.y[last], curve.y[last + 1]));
}

Finding find_ways(const Curve& curve, double slack) {
  const auto end = first_that_leaves(curve, slack);
  if (end == curve.y.size() || end == 0) return undetermined(no_knee);
  const auto full = first_full(curve, slack, end);
  if (full == curve.y.size()) return undetermined("the last values are not above the others");
  const double sets = curve.x[full] - curve.x[end - 1];
  const double ways = curve.x[end - 1] / sets;
  if (ways < 1 || ways != std::floor(ways))
    return undetermined(fmt::format("{:.15g} pages until all miss, from {:.15g} on", sets, curve.x[end - 1]));
  return exactly(ways, fmt::format("all miss from {:.15g} on: {:.15g} sets", curve.x[full], sets));
}

Finding count_between(const Curve& curve, double slack) {
  const auto first = first_that_leaves(curve, slack);
  if (first == curve.y.size() || first == 0) return undetermined(no_knee);
  const auto full = first_full(curve, slack, first);
  if (full == curve.y.size()) return undetermined("the last values are not above the others");
  return exactly(curve.x[full] - curve.x[first],
                 fmt::format("the values rise from {:.15g} to {:.15g}", curve.x[first - 1], curve.x[full]));
}

Finding find_growth(const Curve& curve, double slack) {
  const auto end = first_that_leaves(curve, slack);
  if (end == curve.y.size() || end == 0) return undetermined(no_knee);
  if (!ends_level(curve, slack)) return undetermined(still_rising);
  const double entries = curve.x[end - 1];
  const double hit = median_of({curve.y.begin(), curve.y.begin() + static_cast<std::ptrdiff_t>(end)});
  const double miss = last_of(curve) - hit;
  std::vector<double> grown;  // misses of a visit for each line past the entries
  const auto full = first_full(curve, slack, end);
  for (auto i = end; i < full; ++i) grown.push_back((curve.y[i] - hit) / miss * curve.x[i] / (curve.x[i] - entries));
  if (grown.size() < 2) return undetermined("too few values between those that hit and those that miss");
  const double middle = median_of(grown);
  const auto [least, most] = std::minmax_element(grown.begin(), grown.end());
  const auto model = fmt::format("{:.3g} to {:.3g} misses for each of {} places", *least, *most, grown.size());
  constexpr double nearly = 0.08;
  if (*most - *least > 2 * nearly * middle || std::abs(middle - std::round(middle)) > nearly * middle)
    return undetermined(model);
  return exactly(std::round(middle) - 1, model, FactVerdict::inferred);
}

Finding find_rise(const Curve& curve, double slack) {
  const auto end = first_that_leaves(curve, slack);
  if (end == curve.y.size() || end == 0) return undetermined(no_knee);
  if (!ends_level(curve, slack)) return undetermined(still_rising);
  const double hit = median_of({curve.y.begin(), curve.y.begin() + static_cast<std::ptrdiff_t>(end)});
  const double rise = last_of(curve) - hit;
  return {rise, rise, rise, fmt::format("{:.4g} in the end, {:.4g} before", last_of(curve), hit)};
}

}  // namespace ptxlat::series
