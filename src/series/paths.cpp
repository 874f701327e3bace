// SPDX-License-Identifier: Apache-2.0
#include "series/paths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "series/issue.h"

namespace ptxlat::series {

using results::FactVerdict;
using results::Series;

namespace {

using Places = std::vector<std::size_t>;

Finding word(const std::string& value, const std::string& more, FactVerdict verdict = FactVerdict::measured) {
  Finding found{std::nullopt, 0, 0, more, verdict};
  found.word = value;
  return found;
}

// The curves along one axis, by the places of the others.
std::map<Places, Curve> curves_along(std::size_t axis, const Series& series, const SeriesGroup& group) {
  std::map<Places, Curve> curves;
  for (const auto& point : group.points) {
    auto others = point.places;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(axis));
    auto& curve = curves[others];
    curve.x.push_back(series.axes[axis].values[point.places[axis]]);
    curve.y.push_back(point.value);
  }
  return curves;
}

// The axis along which a group has the most places.
std::size_t longest_axis(const Series& series, const SeriesGroup& group) {
  std::size_t longest = 0, most = 0;
  for (std::size_t axis = 0; axis < series.axes.size(); ++axis) {
    std::set<std::size_t> places;
    for (const auto& point : group.points) places.insert(point.places[axis]);
    if (places.size() > most) longest = axis, most = places.size();
  }
  return longest;
}

}  // namespace

Finding find_steps(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  if (series.axes.empty()) return undetermined("the series has no axis");
  std::vector<double> steps;
  for (auto& [others, curve] : curves_along(longest_axis(series, group), series, group)) {
    auto values = curve.y;
    std::sort(values.begin(), values.end());
    for (std::size_t i = 1; i < values.size(); ++i) steps.push_back(values[i] - values[i - 1]);
  }
  if (steps.empty()) return undetermined("there is one value only");
  const double middle = median_of(steps);
  const double room = std::max(rule.least, rule.tolerance / 100 * middle);
  return {middle, std::min(quantile_of(steps, 0.25), middle - room), std::max(quantile_of(steps, 0.75), middle + room),
          fmt::format("the median of {} steps", steps.size())};
}

Finding find_path_order(const Series& series, const SeriesGroup& group) {
  const auto clause = axis_named(series, "thread");
  if (!clause) return undetermined("there is no axis `thread`");
  const auto order_of = [](const Curve& curve) -> std::string {
    if (curve.y.size() < 2) return "";
    if (std::is_sorted(curve.y.begin(), curve.y.end())) return "first_to_last";
    if (std::is_sorted(curve.y.rbegin(), curve.y.rend())) return "last_to_first";
    return "";
  };
  std::vector<std::string> orders;
  for (const auto& [others, curve] : curves_along(*clause, series, group)) orders.push_back(order_of(curve));
  const auto chosen = (orders.size() + 1) / 2;
  const auto alike = [&](std::size_t from, std::size_t to) {
    return std::count(orders.begin() + static_cast<std::ptrdiff_t>(from),
                      orders.begin() + static_cast<std::ptrdiff_t>(to), orders.front());
  };
  if (orders.empty() || orders.front().empty() || alike(0, chosen) < static_cast<std::ptrdiff_t>(chosen))
    return undetermined("it is neither first to last nor last to first for all that give the rule");
  const auto right = alike(chosen, orders.size()), held_out = static_cast<std::ptrdiff_t>(orders.size() - chosen);
  if (right < held_out)
    return undetermined(fmt::format("{} predicts {} of {} others", orders.front(), right, held_out));
  return word(orders.front(),
              fmt::format("the rule from {} assignments of lanes predicted {} of {} others", chosen, right, held_out),
              held_out > 0 ? FactVerdict::inferred : FactVerdict::measured);
}

Finding find_meeting(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  const auto thread = axis_named(series, "thread");
  const auto side = axis_to_compare(rule, series, group);
  if (!thread) return undetermined("there is no axis `thread`");
  struct Lanes {
    std::vector<double> met, ended;
  };
  std::map<Places, Lanes> launches;
  for (const auto& point : group.points) {
    Places others;
    for (std::size_t i = 0; i < point.places.size(); ++i) {
      if (i != thread && i != side) others.push_back(point.places[i]);
    }
    const auto name = name_of(series.axes[side], point.places[side]);
    if (name == rule.like) launches[others].met.push_back(point.value);
    if (name == rule.unlike) launches[others].ended.push_back(point.value);
  }
  std::size_t together = 0;
  double spread = 0;
  for (const auto& [others, lanes] : launches) {
    if (lanes.met.empty() || lanes.ended.empty()) return undetermined("not every lane has met and ended");
    const auto [first, last] = std::minmax_element(lanes.met.begin(), lanes.met.end());
    spread = std::max(spread, *last - *first);
    together += *last - *first <= rule.least && *first >= *std::max_element(lanes.ended.begin(), lanes.ended.end());
  }
  const auto how = fmt::format("the lanes go on within {:.4g} cycles, after the last has ended, at {} of {} launches",
                               spread, together, launches.size());
  if (together == launches.size()) return word("together", how);
  if (together == 0) return word("apart", how);
  return undetermined(how);
}

Finding find_together(const FactRule& rule, const Series& series, const SeriesGroup& group) {
  std::vector<std::pair<double, std::string>> places;
  for (const auto& point : group.points)
    places.emplace_back(point.value, name_of(series.axes[group.along], point.places[group.along]));
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::vector<std::string>> groups;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || places[i].first - places[i - 1].first > rule.least) groups.emplace_back();
    groups.back().push_back(places[i].second);
  }
  std::string list;
  for (auto& names : groups) {
    std::sort(names.begin(), names.end());
    list += fmt::format("{}{}", list.empty() ? "" : " | ", fmt::join(names, " "));
  }
  return word(list, fmt::format("those within {:.4g} of each other, in their order", rule.least));
}

Finding find_outcome(const Curve& curve) {
  const double worst = *std::max_element(curve.y.begin(), curve.y.end());
  if (worst == 1) return word("passes", "all threads end by themselves");
  if (worst == 2) return word("hangs", "a spin reached its bound and gave up");
  if (worst == 3) return word("hangs", "the kernel's watchdog ended the launch, or its deadline did");
  return undetermined(fmt::format("the outcome is {:.4g}", worst));
}

Finding find_list(const Curve& curve) {
  return word(fmt::format("{}", fmt::join(curve.y, " ")), fmt::format("{} values", curve.y.size()));
}

}  // namespace ptxlat::series
