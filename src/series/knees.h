// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "results/record.h"
#include "series/series_models.h"

namespace ptxlat::series {

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
