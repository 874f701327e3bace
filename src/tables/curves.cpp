// SPDX-License-Identifier: Apache-2.0
#include "tables/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "tables/number.h"

namespace ptxlat::tables {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::size_t main_axis_index(const results::Series& series) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < series.axes.size(); ++i) {
    if (series.axes[i].values.size() >= series.axes[best].values.size()) best = i;
  }
  return best;
}

}  // namespace

const results::Axis* main_axis(const results::Series& series) {
  return series.axes.empty() ? nullptr : &series.axes[main_axis_index(series)];
}

std::string coordinate_text(const results::Axis& axis, double at) {
  const auto place = std::find(axis.values.begin(), axis.values.end(), at) - axis.values.begin();
  return place < std::ssize(axis.names) ? axis.names[static_cast<std::size_t>(place)] : decimal(at);
}

std::vector<Curve> curves_of(const results::Series& series) {
  std::vector<Curve> curves;
  if (series.axes.empty()) return curves;
  const std::size_t along = main_axis_index(series);
  std::map<std::string, std::size_t> index;
  const auto lengths = results::lengths_of(series);
  for (std::size_t point = 0; point < series.values.size(); ++point) {
    const auto places = results::places_of(point, lengths);
    std::string condition;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& axis = series.axes[i];
      if (i != along)
        condition += fmt::format("{}{}={}", condition.empty() ? "" : " ", axis.name,
                                 coordinate_text(axis, axis.values[places[i]]));
    }
    const double at = series.axes[along].values[places[along]];
    const auto [place, is_new] = index.emplace(condition, curves.size());
    if (is_new) curves.push_back({condition, {}});
    curves[place->second].points.push_back({at, series.values[point]});
  }
  return curves;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == name ? name : fmt::format("{} ({})", name, unit);
}

bool is_about(const results::Fact& fact, const results::Series& series, const results::Record& record) {
  const auto parts = split(fact.quantity, '.');
  const auto is_named = [&](const results::Series& one) {
    return std::find(parts.begin(), parts.end(), one.name) != parts.end();
  };
  return is_named(series) || std::none_of(record.series.begin(), record.series.end(), is_named);
}

Marks marks_of(const results::Record& record, const results::Series& series) {
  Marks marks;
  const results::Axis* axis = main_axis(series);
  for (const results::Fact& fact : record.facts) {
    const auto value = number_in(fact.value);
    if (!value || fact.unit.empty() || !is_about(fact, series, record)) continue;
    const Mark mark{&fact, *value, fact.low.value_or(*value), fact.high.value_or(*value)};
    if (fact.unit == series.unit) marks.levels.push_back(mark);
    if (axis && fact.unit == axis->unit) marks.edges.push_back(mark);
  }
  return marks;
}

std::vector<std::string> pairs_of(const std::string& condition) { return split(condition, ' '); }

bool has_condition(const std::string& condition, const std::string& wanted) {
  const auto has = pairs_of(condition);
  const auto wants = pairs_of(wanted);
  return std::all_of(wants.begin(), wants.end(),
                     [&](const std::string& pair) { return std::find(has.begin(), has.end(), pair) != has.end(); });
}

bool may_hold_together(const std::string& a, const std::string& b) {
  const auto of_b = pairs_of(b);
  for (const std::string& pair : pairs_of(a)) {
    const std::string key = pair.substr(0, pair.find('=') + 1);
    for (const std::string& other : of_b) {
      if (other.starts_with(key) && other != pair) return false;
    }
  }
  return true;
}

const Mark* predicting(const Marks& marks, const Curve& curve, const CurvePoint& point) {
  const Mark* nearest = nullptr;
  if (!point.value) return nearest;
  for (const Mark& mark : marks.levels) {
    if (*point.value < mark.low || *point.value > mark.high) continue;
    if (!may_hold_together(mark.fact->condition, curve.condition)) continue;
    if (!nearest || std::abs(mark.value - *point.value) < std::abs(nearest->value - *point.value)) nearest = &mark;
  }
  return nearest;
}

}  // namespace ptxlat::tables
