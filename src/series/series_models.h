// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantile.h"
#include "results/record.h"

namespace ptxlat::series {

// A series along one axis, without its empty points.
struct Curve {
  std::vector<double> x, y;
  bool empty() const { return y.empty(); }
};

// y = a + b x through every second point; the others are predicted.
//   misses   points that are further off than `allowed` permits for their value
struct Fit {
  double a = 0, b = 0;
  double low = 0, high = 0;  // of b, over the lines through the ends of each half
  std::size_t held_out = 0, misses = 0;
};
std::optional<Fit> line_through(const Curve& curve, double relative, double least);

// Runs of at least three consecutive points within `relative` of their median, in the order of x.
//   last_x   of its last point
struct Plateau {
  double value = 0, low = 0, high = 0, last_x = 0;
};
std::vector<Plateau> plateaus_of(const Curve& curve, double relative);

// `count` clusters of values, ascending, by the splits with the least variance; empty if there are fewer distinct
// values.
struct Cluster {
  double median = 0, low = 0, high = 0;  // 5th and 95th percentile
  std::size_t size = 0;
};
std::vector<Cluster> clusters_of(std::vector<double> values, std::size_t count);

// A model's result for a curve: a number or a word; without either, `more` is the reason.
struct Finding {
  std::optional<double> value;
  double low = 0, high = 0;
  std::string more;
  results::FactVerdict verdict = results::FactVerdict::measured;
  std::string word = {};
};
inline Finding undetermined(const std::string& why) { return {std::nullopt, 0, 0, why}; }

// Curves that stay at their first value and then leave it by more than `slack`: as FactModel of series_facts.h says.
Finding find_knee(const Curve& curve, double slack);
Finding find_period(const Curve& curve, double slack);
Finding find_overlap(const Curve& curve);

// The curve is the mean cost of a visit against x lines visited cyclically. A set with one line too many misses all of
// its lines if it evicts the least recently used or oldest one (Mei and Chu, section 4.2).
Finding find_ways(const Curve& curve, double slack);
Finding count_between(const Curve& curve, double slack);
Finding find_growth(const Curve& curve, double slack);
Finding find_rise(const Curve& curve, double slack);

}  // namespace ptxlat::series
