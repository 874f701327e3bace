// SPDX-License-Identifier: Apache-2.0
#include "series/domains.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

namespace ptxlat::series {

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
