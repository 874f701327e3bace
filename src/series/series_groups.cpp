// SPDX-License-Identifier: Apache-2.0
#include "series/series_groups.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxlat::series {

using results::Fact;
using results::FactVerdict;

Fact inferred(const std::string& quantity, const std::string& value, const std::string& unit, const std::string& how,
              const std::string& reason) {
  Fact fact;
  fact.quantity = quantity;
  fact.value = value;
  fact.unit = unit;
  fact.scope = "kind";
  fact.how = value.empty() ? reason : how;
  fact.verdict = value.empty() ? FactVerdict::undetermined : FactVerdict::inferred;
  return fact;
}

Fact inferred(const std::string& quantity, std::uint64_t value, const std::string& unit, const std::string& how,
              const std::string& reason) {
  Fact fact = inferred(quantity, value == 0 ? "" : fmt::format("{}", value), unit, how, reason);
  if (value != 0) fact.low = fact.high = static_cast<double>(value);
  return fact;
}

Fact measured(const std::string& quantity, double value, double spread, const std::string& unit,
              const std::string& how) {
  Fact fact = inferred(quantity, fmt::format("{:.6g}", value), unit, how, "");
  fact.verdict = FactVerdict::measured;
  fact.low = value - spread;
  fact.high = value + spread;
  return fact;
}

using results::Axis;
using results::Series;

namespace {

// The group of a point, without its points, from the rule's texts and axes.
SeriesGroup group_of(const FactRule& rule, const Series& series, const std::vector<std::size_t>& places) {
  SeriesGroup group{rule.quantity, "", 0, {}};
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < series.axes.size(); ++i) {
    const auto& axis = series.axes[i];
    const std::string name = name_of(axis, places[i]);
    group.quantity = filled(group.quantity, axis.name, name);
    if (std::find(rule.by.begin(), rule.by.end(), axis.name) != rule.by.end())
      conditions.push_back(axis.name + "=" + name);
  }
  std::sort(conditions.begin(), conditions.end());
  for (const auto& condition : conditions) group.condition += (group.condition.empty() ? "" : " ") + condition;
  return group;
}

}  // namespace

std::string name_of(const Axis& axis, std::size_t place) {
  return axis.names.empty() ? fmt::format("{:.15g}", axis.values[place]) : axis.names[place];
}

std::optional<std::size_t> axis_named(const Series& series, const std::string& name) {
  for (std::size_t i = 0; i < series.axes.size(); ++i) {
    if (series.axes[i].name == name) return i;
  }
  return std::nullopt;
}

std::string filled(std::string text, const std::string& hole, const std::string& value) {
  const std::string marked = "{{" + hole + "}}";
  for (auto at = text.find(marked); at != std::string::npos; at = text.find(marked, at + value.size()))
    text.replace(at, marked.size(), value);
  return text;
}

bool is_wanted(const FactRule& rule, const Axis& axis, std::size_t place) {
  const auto found = rule.where.find(axis.name);
  if (found == rule.where.end()) return true;
  return std::find(found->second.begin(), found->second.end(), name_of(axis, place)) != found->second.end();
}

std::vector<SeriesGroup> groups_of(const FactRule& rule, const Series& series) {
  std::vector<SeriesGroup> groups;
  std::vector<std::vector<std::size_t>> firsts;  // of each group, the places of its first point
  const auto lengths = results::lengths_of(series);
  for (std::size_t number = 0; number < series.values.size(); ++number) {
    auto places = results::places_of(number, lengths);
    bool wanted = true;
    for (std::size_t i = 0; i < places.size(); ++i) wanted = wanted && is_wanted(rule, series.axes[i], places[i]);
    if (!wanted) continue;
    auto group = group_of(rule, series, places);
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const SeriesGroup& other) {
      return other.quantity == group.quantity && other.condition == group.condition;
    });
    const auto index = static_cast<std::size_t>(known - groups.begin());
    if (known == groups.end()) {
      group.along = places.size();
      groups.push_back(std::move(group));
      firsts.push_back(places);
    }
    const auto differs = std::mismatch(places.begin(), places.end(), firsts[index].begin()).first - places.begin();
    groups[index].along = std::min(groups[index].along, static_cast<std::size_t>(differs));
    if (const auto& value = series.values[number]) groups[index].points.push_back({std::move(places), *value});
  }
  for (auto& group : groups) {
    if (group.along == series.axes.size()) group.along = 0;
  }
  return groups;
}

Curve curve_of(const SeriesGroup& group, const Series& series) {
  Curve curve;
  if (series.axes.empty()) return curve;
  for (const auto& point : group.points) {
    curve.x.push_back(series.axes[group.along].values[point.places[group.along]]);
    curve.y.push_back(point.value);
  }
  return curve;
}

}  // namespace ptxlat::series
