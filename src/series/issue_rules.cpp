// SPDX-License-Identifier: Apache-2.0
#include "series/issue_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

#include "base/quantile.h"

namespace ptxlat::series {

using results::Series;

namespace {

using Order = std::vector<std::size_t>;

Order ascending(const Order& released) {
  auto order = released;
  std::sort(order.begin(), order.end());
  return order;
}
Order descending(const Order& released) {
  auto order = ascending(released);
  std::reverse(order.begin(), order.end());
  return order;
}
// The warp that was released first runs to its end; then the others, in the order of `rest`.
Order first_then(const Order& released, Order rest) {
  std::erase(rest, released.front());
  rest.insert(rest.begin(), released.front());
  return rest;
}

// 2431: the second warp first, then the fourth.
Order order_of(double digits) {
  Order order;
  for (auto rest = static_cast<std::size_t>(digits); rest > 0; rest /= 10) order.push_back(rest % 10 - 1);
  std::reverse(order.begin(), order.end());
  return order;
}

struct Times {
  std::optional<double> start, end;
};

// Warps in the order of their numbers.
ScheduledRun run_of(const Order& released, const std::vector<Times>& warps) {
  ScheduledRun run;
  run.released = released;
  run.ended.resize(warps.size());
  std::iota(run.ended.begin(), run.ended.end(), 0);
  std::sort(run.ended.begin(), run.ended.end(),
            [&](std::size_t a, std::size_t b) { return *warps[a].end < *warps[b].end; });
  double first = *warps.front().start, last = *warps.front().end, shortest = last - first;
  for (const auto& [start, end] : warps) {
    first = std::min(first, *start);
    last = std::max(last, *end);
    shortest = std::min(shortest, *end - *start);
  }
  // The scheduler issues all the time, so one warp alone takes its share of the total.
  run.shared = shortest > 1.5 * (last - first) / static_cast<double>(warps.size());
  return run;
}

bool predicts(const SchedulingRule& rule, const ScheduledRun& run) {
  if (rule.ended == nullptr || run.shared) return rule.ended == nullptr && run.shared;
  return rule.ended(run.released) == run.ended;
}

}  // namespace

const std::vector<SchedulingRule>& scheduling_rules() {
  static const std::vector<SchedulingRule> rules{
      {"round_robin", nullptr},
      {"oldest", ascending},
      {"youngest", descending},
      {"greedy_oldest", [](const Order& released) { return first_then(released, ascending(released)); }},
      {"greedy_youngest", [](const Order& released) { return first_then(released, descending(released)); }},
      {"greedy_longest_waiting", [](const Order& released) { return released; }},
      {"greedy_shortest_waiting",
       [](const Order& released) {
         return first_then(released, {released.rbegin(), released.rend()});
       }},
      {"shortest_waiting",
       [](const Order& released) {
         return Order{released.rbegin(), released.rend()};
       }},
  };
  return rules;
}

FoundScheduling find_scheduling(const std::vector<ScheduledRun>& runs) {
  if (runs.size() < 4) return {"", fmt::format("{} runs are too few", runs.size())};
  std::vector<const SchedulingRule*> left;
  for (const auto& rule : scheduling_rules()) {
    bool holds = true;
    for (std::size_t i = 0; i < runs.size(); i += 2) holds = holds && predicts(rule, runs[i]);
    if (holds) left.push_back(&rule);
  }
  if (left.size() > 1) return {"", fmt::format("{} and {} predict the same", left[0]->name, left[1]->name)};
  if (left.empty()) {
    std::string seen;
    for (std::size_t i = 0; i < std::min<std::size_t>(runs.size(), 4); ++i)
      seen += fmt::format("{}let go {}, ended {}{}", seen.empty() ? "" : "; ", fmt::join(runs[i].released, " "),
                          fmt::join(runs[i].ended, " "), runs[i].shared ? " in turns" : "");
    return {"", "no rule that is known here predicts " + seen};
  }
  FoundScheduling found{left.front()->name, "", 0};
  for (std::size_t i = 1; i < runs.size(); i += 2) {
    if (!predicts(*left.front(), runs[i])) return {"", fmt::format("{} failed on a run held out", found.name)};
    ++found.predicted;
  }
  return found;
}

std::vector<ScheduledRun> runs_of(const Series& series, const SeriesGroup& group) {
  const auto order = axis_named(series, "order"), warp = axis_named(series, "warp"), word = axis_named(series, "word");
  if (!order || !warp || !word) return {};
  std::map<std::size_t, std::map<std::size_t, Times>> times;  // [order][warp]
  for (const auto& point : group.points) {
    auto& of_warp = times[point.places[*order]][point.places[*warp]];
    const auto name = name_of(series.axes[*word], point.places[*word]);
    if (name == "start") of_warp.start = point.value;
    if (name == "end") of_warp.end = point.value;
  }
  std::vector<ScheduledRun> runs;
  for (const auto& [place, of_warps] : times) {
    const auto released = order_of(series.axes[*order].values[place]);
    std::vector<Times> warps;
    for (const auto& [number, of_warp] : of_warps) {
      if (of_warp.start && of_warp.end) warps.push_back(of_warp);
    }
    if (warps.size() == released.size() && !warps.empty()) runs.push_back(run_of(released, warps));
  }
  return runs;
}

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
