// SPDX-License-Identifier: Apache-2.0
#include "series/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>

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

using results::FactVerdict;
using results::Series;

namespace {

using Clocks = std::vector<std::vector<double>>;  // [sm][tick]

// The distance from one 32-bit clock to another, however they wrapped.
double distance(double from, double to) {
  const auto bits = [](double x) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)); };
  return static_cast<std::int32_t>(bits(to) - bits(from));
}

// Cycles from one tick to the next: the median of the SMs' slopes. All SMs have the same frequency.
double interval_of(const Clocks& clocks) {
  std::vector<double> slopes;
  const auto ticks = clocks.front().size();
  const double middle = static_cast<double>(ticks - 1) / 2;
  for (const auto& of_sm : clocks) {
    double sum = 0, squares = 0;
    for (std::size_t tick = 0; tick < ticks; ++tick) {
      const double from_middle = static_cast<double>(tick) - middle;
      sum += from_middle * distance(of_sm.front(), of_sm[tick]);
      squares += from_middle * from_middle;
    }
    slopes.push_back(sum / squares);
  }
  return median_of(std::move(slopes));
}

// How far each SM's clock is ahead of the first one's, from every second tick. A reading is late, never early, so the
// least distance from the moment of the tick is the offset.
std::vector<double> offsets_of(const Clocks& clocks, std::size_t first_tick, double interval) {
  std::vector<double> offsets;
  for (const auto& of_sm : clocks) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t tick = first_tick; tick < of_sm.size(); tick += 2)
      least = std::min(least, distance(of_sm.front(), of_sm[tick]) - interval * static_cast<double>(tick));
    offsets.push_back(distance(clocks.front().front(), of_sm.front()) + least);
  }
  return offsets;
}

// Domains are runs of offsets without a gap larger than `apart`.
std::vector<std::vector<std::size_t>> groups_apart(const std::vector<double>& offsets, double apart) {
  std::vector<std::size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return offsets[a] < offsets[b]; });
  std::vector<std::vector<std::size_t>> clusters;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || offsets[order[i]] - offsets[order[i - 1]] > apart) clusters.emplace_back();
    clusters.back().push_back(order[i]);
  }
  for (auto& cluster : clusters) std::sort(cluster.begin(), cluster.end());
  std::sort(clusters.begin(), clusters.end());
  return clusters;
}

}  // namespace

Domains domains_of(const Clocks& clocks) {
  if (clocks.size() < 2 || clocks.front().size() < 8) return {{}, 0, "there are too few readings"};
  const double interval = interval_of(clocks);
  const auto even = offsets_of(clocks, 0, interval), odd = offsets_of(clocks, 1, interval);
  // What the halves do not agree on is noise.
  std::vector<double> differences;
  for (std::size_t sm = 0; sm < clocks.size(); ++sm) differences.push_back(odd[sm] - even[sm]);
  const double constant = median_of(differences);
  double noise = 0;
  for (const double difference : differences) noise = std::max(noise, std::abs(difference - constant));
  const double apart = std::max(16.0, 4 * noise);
  Domains domains{groups_apart(even, apart), 0, ""};
  for (const auto& of_domain : domains.sms) {
    double least = even[of_domain.front()], most = least;
    for (const auto sm : of_domain) least = std::min(least, even[sm]), most = std::max(most, even[sm]);
    domains.skew = std::max(domains.skew, most - least);
  }
  if (groups_apart(odd, apart) != domains.sms) domains.why = "the two halves of the readings give different domains";
  return domains;
}

std::vector<Finding> find_domains(const Series& series, const SeriesGroup& group, double least) {
  const auto sm = axis_named(series, "sm"), tick = axis_named(series, "tick");
  const auto none = [](const std::string& why) { return std::vector<Finding>(3, Finding{std::nullopt, 0, 0, why}); };
  if (!sm || !tick) return none("there are no axes `sm` and `tick`");
  Clocks clocks(series.axes[*sm].values.size(), std::vector<double>(series.axes[*tick].values.size(), 0));
  for (const auto& point : group.points) clocks[point.places[*sm]][point.places[*tick]] = point.value;
  for (const auto& of_sm : clocks) {
    if (std::find(of_sm.begin(), of_sm.end(), 0.0) != of_sm.end()) return none("not every SM has read its clock");
  }
  auto domains = domains_of(clocks);
  if (!domains.why.empty()) return none(domains.why);
  std::vector<std::size_t> sizes;
  for (const auto& of_domain : domains.sms) sizes.push_back(of_domain.size());
  const auto count = static_cast<double>(sizes.size());
  domains.skew = std::round(domains.skew);
  const std::string how = "both halves of the readings give the same groups";
  Finding list{std::nullopt, 0, 0, how, FactVerdict::inferred};
  list.word = fmt::format("{}", fmt::join(sizes, " "));
  return {{count, count, count, how, FactVerdict::inferred}, list, {domains.skew, 0, domains.skew + least, how}};
}

Finding find_common_divisor(const Curve& curve) {
  std::uint64_t divisor = 0;
  for (std::size_t i = 0; i < curve.y.size(); i += 2)
    divisor = std::gcd(divisor, static_cast<std::uint64_t>(std::llround(curve.y[i])));
  if (divisor == 0) return {std::nullopt, 0, 0, "all values are 0"};
  std::size_t divided = 0;
  for (std::size_t i = 1; i < curve.y.size(); i += 2)
    divided += static_cast<std::uint64_t>(std::llround(curve.y[i])) % divisor == 0 ? 1 : 0;
  const auto held_out = curve.y.size() / 2;
  if (divided < held_out)
    return {std::nullopt, 0, 0, fmt::format("{} divides {} of {} other values", divisor, divided, held_out)};
  const auto value = static_cast<double>(divisor);
  return {value, value, value, fmt::format("the largest number that divides them, and {} others", held_out),
          held_out > 0 ? FactVerdict::inferred : FactVerdict::measured};
}

}  // namespace ptxlat::series
