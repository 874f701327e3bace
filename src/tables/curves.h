// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::tables {

// A series for drawing: values against one axis, with a curve for each combination of the other axes' values.
struct CurvePoint {
  double at = 0;
  std::optional<double> value;
};
struct Curve {
  std::string condition;  // "path=ca warps=8": the other axes; empty if there is only one axis
  std::vector<CurvePoint> points;
};

// The axis that curves run along: the one with the most values, or the last of several. Null for a series without axes.
const results::Axis* main_axis(const results::Series& series);
// The label of one of the axis' values: its name, if it has names.
std::string coordinate_text(const results::Axis& axis, double at);
// None for a series without axes.
std::vector<Curve> curves_of(const results::Series& series);

// "latency (cycles)"; not "bytes (bytes)".
std::string with_unit(const std::string& name, const std::string& unit);

// A quantity that names a series of its record ("ca" in chase.ca.l2) is about that one; another is about each.
bool is_about(const results::Fact& fact, const results::Series& series, const results::Record& record);

// A fact as a mark on a series.
struct Mark {
  const results::Fact* fact = nullptr;
  double value = 0, low = 0, high = 0;  // without a range both limits are the value
};
// The facts of the record that are about the series, in its units. `levels` have the unit of its values: they are
// plateaus, and predict points. `edges` have the unit of its main axis: capacities and knees.
struct Marks {
  std::vector<Mark> levels, edges;
};
Marks marks_of(const results::Record& record, const results::Series& series);

// Whether every pair "key=value" of `wanted` is in the condition.
bool has_condition(const std::string& condition, const std::string& wanted);
// Whether no key has different values in both.
bool may_hold_together(const std::string& a, const std::string& b);
// "a=1 b=2" as its pairs.
std::vector<std::string> pairs_of(const std::string& condition);

// The level that predicts the point: its range has the value. The nearest of several; null if there is none.
const Mark* predicting(const Marks& marks, const Curve& curve, const CurvePoint& point);

}  // namespace ptxlat::tables
