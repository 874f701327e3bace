// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/record.h"
#include "series/series_facts.h"
#include "series/series_models.h"

namespace ptxlat::series {

// A fact about a kind of machine from a model: inferred, or undetermined for `reason` if there is no value.
results::Fact inferred(const std::string& quantity, const std::string& value, const std::string& unit,
                       const std::string& how, const std::string& reason);
// The same for a whole number; 0 means none.
results::Fact inferred(const std::string& quantity, std::uint64_t value, const std::string& unit,
                       const std::string& how, const std::string& reason);
// For a time, which was read off: `spread` is how far a repetition may differ from it.
results::Fact measured(const std::string& quantity, double value, double spread, const std::string& unit,
                       const std::string& how);

// The label of one of an axis' values: the name, or the number.
std::string name_of(const results::Axis& axis, std::size_t place);

// The number of the axis with this name; empty if there is none.
std::optional<std::size_t> axis_named(const results::Series& series, const std::string& name);

// `text` with `value` in each {{hole}}.
std::string filled(std::string text, const std::string& hole, const std::string& value);

// Whether a rule uses this place of an axis.
bool is_wanted(const FactRule& rule, const results::Axis& axis, std::size_t place);

// A point of a series with a value.
struct SeriesPoint {
  std::vector<std::size_t> places;  // on each axis
  double value = 0;
};

// The points of a series for one fact, identified by its quantity and condition.
//   along  the axis on which they lie, with or without values: the first that has several places among them
struct SeriesGroup {
  std::string quantity, condition;
  std::size_t along = 0;
  std::vector<SeriesPoint> points;
};
std::vector<SeriesGroup> groups_of(const FactRule& rule, const results::Series& series);

// The points along the group's axis; none if the series has no axes.
Curve curve_of(const SeriesGroup& group, const results::Series& series);

}  // namespace ptxlat::series
