// SPDX-License-Identifier: Apache-2.0
#include "series/issue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/quantile.h"

namespace ptxlat::series {

using results::Axis;
using results::FactVerdict;
using results::Series;

namespace {

using Places = std::vector<std::size_t>;

// A value with its range, without the meaningless digits of a fit.
Finding about(double value, double room, const std::string& more, FactVerdict verdict) {
  const auto rounded = [](double x) { return std::round(x * 1e4) / 1e4; };
  return {rounded(value), rounded(value - room), rounded(value + room), more, verdict};
}

bool has_place(const Axis& axis, const std::string& name) {
  for (std::size_t place = 0; place < axis.values.size(); ++place) {
    if (name_of(axis, place) == name) return true;
  }
  return false;
}

// A curve's name, from its places on all axes but the last: "fma, warps 2".
std::string title_of(const Series& series, const Places& places) {
  std::string title;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& axis = series.axes[i];
    title += fmt::format("{}{}{}", title.empty() ? "" : ", ", axis.names.empty() ? axis.name + " " : "",
                         name_of(axis, places[i]));
  }
  return title;
}

struct BestRate {
  std::string title;
  Fit line;
};

std::optional<BestRate> best_rate(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  std::map<Places, Curve> curves;
  for (const auto& point : group.points) {
    auto& curve = curves[{point.places.begin(), point.places.end() - 1}];
    curve.x.push_back(series.axes.back().values[point.places.back()]);
    curve.y.push_back(point.value);
  }
  std::optional<BestRate> best;
  for (const auto& [places, curve] : curves) {
    const auto line = line_through(curve, rule.tolerance / 100, rule.least);
    if (!line || line->misses > 0 || line->held_out == 0 || line->b <= 0) continue;
    if (!best || line->b < best->line.b) best = BestRate{title_of(series, places), *line};
  }
  return best;
}

constexpr const char* no_line = "no curve is a straight line";

// The values of a group at `like` and at `unlike`, by their places on the other axes.
struct Compared {
  std::optional<double> like, unlike;
};
std::map<Places, Compared> compared(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  const auto axis = axis_to_compare(rule, series, group);
  std::map<Places, Compared> values;
  for (const auto& point : group.points) {
    auto others = point.places;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(axis));
    const auto name = name_of(series.axes[axis], point.places[axis]);
    if (name == rule.like) values[others].like = point.value;
    if (name == rule.unlike) values[others].unlike = point.value;
  }
  std::erase_if(values, [](const auto& entry) { return !entry.second.like || !entry.second.unlike; });
  return values;
}

// The straight lines through a group's values at `like` and at `unlike`; `problem` says why there are none.
struct TwoLines {
  Fit like, unlike;
  std::string model, problem;
  FactVerdict verdict = FactVerdict::measured;
};
TwoLines lines_of(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  Curve like, unlike;
  for (const auto& [others, values] : compared(rule, series, group)) {
    const double x = series.axes.back().values[others.back()];
    like.x.push_back(x);
    like.y.push_back(*values.like);
    unlike.x.push_back(x);
    unlike.y.push_back(*values.unlike);
  }
  TwoLines lines;
  const auto first = line_through(like, rule.tolerance / 100, rule.least);
  const auto second = line_through(unlike, rule.tolerance / 100, rule.least);
  if (!first || !second) {
    lines.problem = "there are not two points for a line";
    return lines;
  }
  lines.like = *first;
  lines.unlike = *second;
  const auto held_out = first->held_out + second->held_out, misses = first->misses + second->misses;
  lines.model =
      fmt::format("{} takes {:.4g} + {:.4g} n, {} {:.4g} + {:.4g} n; they predicted {} of {} held-out points",
                  rule.like, first->a, first->b, rule.unlike, second->a, second->b, held_out - misses, held_out);
  if (misses * 4 > held_out) lines.problem = "not straight lines: " + lines.model;
  if (misses == 0 && held_out > 0) lines.verdict = FactVerdict::inferred;
  return lines;
}

}  // namespace

std::size_t axis_to_compare(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  const auto has_both = [&](const Axis& axis) { return has_place(axis, rule.like) && has_place(axis, rule.unlike); };
  const auto& axes = series.axes;
  if (group.along < axes.size() && has_both(axes[group.along])) return group.along;
  const auto found = std::find_if(axes.begin(), axes.end(), has_both);
  return static_cast<std::size_t>((found == axes.end() ? axes.begin() : found) - axes.begin());
}

Finding find_best_rate(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  const auto best = best_rate(rule, series, group);
  if (!best) return undetermined(no_line);
  const double rate = 1 / best->line.b, room = rate * rule.tolerance / 100;
  return about(rate, room,
               fmt::format("the best is {}, {:.4g} + {:.4g} n cycles, which predicted {} held-out points", best->title,
                           best->line.a, best->line.b, best->line.held_out),
               FactVerdict::inferred);
}

Finding find_exceeds_one(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  constexpr double clearly = 1.1;  // dual issue, if it exists, would occur in more than a tenth of the cycles
  const auto best = best_rate(rule, series, group);
  if (!best) return undetermined(no_line);
  const double exceeds = 1 / best->line.b > clearly;
  return {exceeds, exceeds, exceeds,
          fmt::format("the best is {} with {:.4g}, a line that predicted {} held-out points", best->title,
                      1 / best->line.b, best->line.held_out),
          FactVerdict::inferred};
}

Finding find_queue(const Curve& curve, double slack) {
  constexpr std::size_t first_line = 4, shortest_rest = 3;
  const auto points = curve.x.size();
  if (points < first_line) return undetermined(fmt::format("{} points are too few for a line", points));
  std::vector<double> steps;
  for (std::size_t i = 1; i < first_line; ++i)
    steps.push_back((curve.y[i] - curve.y[i - 1]) / (curve.x[i] - curve.x[i - 1]));
  const double step = median_of(steps);
  // An instruction that has to wait takes much longer than its issue, and later ones do not catch up. One that only
  // makes up for an early one is where the line is.
  const auto late_by = [&](std::size_t i, std::size_t than) {
    return curve.y[i] - curve.y[than] - step * (curve.x[i] - curve.x[than]);
  };
  std::size_t end = 1;
  while (end < points &&
         (late_by(end, end - 1) <= step * (curve.x[end] - curve.x[end - 1]) + slack || late_by(end, 0) <= step + slack))
    ++end;
  // A part of the first wait may already be over.
  const bool waits_a_little = end < points && end > first_line && late_by(end - 1, 0) > slack;
  if (waits_a_little) --end;
  const auto model = fmt::format("{:.3g} cycles for each", step);
  if (end == points) return undetermined(fmt::format("none waits up to {:.15g}: {}", curve.x.back(), model));
  if (end < first_line) return undetermined(fmt::format("too few come before {:.15g}, which waits", curve.x[end]));
  std::size_t predicted = 0, behind = 0;
  for (auto i = first_line; i < end; ++i) predicted += std::abs(late_by(i, 0)) <= slack;
  for (auto i = end + 1; i < points; ++i) behind += late_by(i, end - 1) > slack;
  // The wait is a step in what is otherwise a line.
  if (late_by(end, end - 1) <= std::abs(late_by(end - 1, 0)))
    return undetermined(fmt::format("{}, which the curve leaves before it has a step", model));
  constexpr std::size_t many = 8;  // so many come before the wait that it is one, whatever the line
  if (end - first_line < many && 2 * predicted <= end - first_line)
    return undetermined(fmt::format("{}, which predicted {} of {} points", model, predicted, end - first_line));
  const double last = curve.x[end - 1];
  const bool holds = end - first_line >= shortest_rest && predicted == end - first_line && behind >= shortest_rest &&
                     behind == points - end - 1;
  // Whether the last one still fits, or waits a little, can change with the moment at which others leave.
  const double one_more = waits_a_little ? curve.x[end] : last;
  return {last, curve.x[end - 2], std::max(one_more, curve.x[end] - 1),
          fmt::format("{}, which predicted {} of {} points up to there; the next waits {:.4g} cycles", model, predicted,
                      end - first_line, late_by(end, end - 1)),
          holds ? FactVerdict::inferred : FactVerdict::measured};
}

Finding find_overtaking(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  if (series.axes.size() < 2) return undetermined("there are not two axes");
  // The last of the remaining axes counts the second instructions; each curve begins with the smallest number.
  std::map<Places, Compared> fewest;
  std::size_t overtaken = 0, places = 0;
  for (const auto& [others, ends] : compared(rule, series, group)) {
    const auto& first = fewest.try_emplace({others.begin(), others.end() - 1}, ends).first->second;
    const double longer = *ends.like - *first.like;
    // So short that its position cannot be determined.
    if (longer <= 2 * rule.least) continue;
    ++places;
    // If they ran one after the other, they would take the sum of their times.
    const bool was_under_way = *ends.unlike - *first.unlike < longer / 2;
    overtaken += was_under_way && *ends.like < *ends.unlike - rule.least;
  }
  const auto model = fmt::format("overtaken at {} of {} places", overtaken, places);
  if (places == 0) return undetermined(fmt::format("the values at {} do not rise", rule.like));
  if (overtaken == places) return {1, 1, 1, model};
  if (overtaken == 0) return {0, 0, 0, model};
  return undetermined(model);
}

Finding find_difference_between(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  std::vector<double> differences;
  for (const auto& [others, values] : compared(rule, series, group))
    differences.push_back(*values.like - *values.unlike);
  if (differences.empty())
    return undetermined(fmt::format("no place has a value at {} and at {}", rule.like, rule.unlike));
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  const double middle = median_of(differences);
  const double room = std::max(rule.least, rule.tolerance / 100 * std::abs(middle));
  return {middle, std::min(*least, middle - room), std::max(*most, middle + room),
          fmt::format("{} less {}, {:.4g} to {:.4g} at {} places", rule.like, rule.unlike, *least, *most,
                      differences.size())};
}

Finding find_crossing(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  const auto lines = lines_of(rule, series, group);
  if (!lines.problem.empty()) return undetermined(lines.problem);
  const double approach = lines.like.b - lines.unlike.b;
  if (std::abs(approach) < 1e-9) return undetermined("the lines are parallel: " + lines.model);
  const double meet = (lines.unlike.a - lines.like.a) / approach;
  if (meet < 0) return undetermined("the lines meet nowhere: " + lines.model);
  const double room = std::max(rule.least / std::abs(approach), rule.tolerance / 100 * meet);
  return about(meet, room, lines.model, lines.verdict);
}

Finding find_offset(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  const auto lines = lines_of(rule, series, group);
  if (!lines.problem.empty()) return undetermined(lines.problem);
  const double offset = lines.like.a - lines.unlike.a;
  const double room = std::max(rule.least, rule.tolerance / 100 * std::abs(offset));
  return about(offset, room, lines.model, lines.verdict);
}

Finding find_gap(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  // For each place of the other axes: how many places of the last axis are in time before one is late, after the first.
  struct Arrivals {
    std::optional<double> first;
    std::size_t in_time = 0;
    bool is_late = false;
  };
  std::map<Places, Arrivals> curves;
  for (const auto& [others, values] : compared(rule, series, group)) {
    auto& curve = curves[{others.begin(), others.end() - 1}];
    const double late_by = *values.like - *values.unlike;
    if (!curve.first) curve.first = late_by;
    curve.is_late = curve.is_late || late_by - *curve.first > rule.least;
    curve.in_time += curve.is_late ? 0 : 1;
  }
  if (curves.empty()) return undetermined("the series has no values to compare");
  std::vector<std::size_t> counts;
  std::size_t without = 0, late_from_first = 0;
  for (const auto& [places, curve] : curves) {
    late_from_first += *curve.first > rule.least ? 1 : 0;
    counts.push_back(curve.in_time);
    without += curve.is_late ? 0 : 1;
  }
  if (late_from_first == curves.size()) return undetermined("the first was late everywhere");
  if (without > 0) return undetermined(fmt::format("none was late at {} of {} places", without, curves.size()));
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  const auto low = static_cast<double>(*least), high = static_cast<double>(*most);
  if (low == high) return {low, low, low, fmt::format("so many came in time at each of {} places", counts.size())};
  // Whole lines: one less at each next place, until the line in which the code begins is a new one. The places after
  // the first line's worth are predicted.
  const std::size_t line = *most - *least + 1;
  std::size_t misses = counts.size() > line ? 0 : 1;
  for (std::size_t i = 1; i < counts.size(); ++i)
    misses += counts[i] == (counts[i - 1] == *least ? *most : counts[i - 1] - 1) ? 0 : 1;
  if (misses > 0) return undetermined(fmt::format("{} to {} came in time, not as many everywhere", *least, *most));
  return {high, low, high,
          fmt::format("{} to {} came in time: what was left of a line of {}, and all up to the end of a later one, "
                      "which predicted {} of {} places",
                      *least, *most, line, counts.size() - line, counts.size() - line),
          FactVerdict::inferred};
}

}  // namespace ptxlat::series
