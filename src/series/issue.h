// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "series/series_groups.h"
#include "series/series_models.h"

namespace ptxlat::series {

// The number of the axis that has both of a rule's places, `like` and `unlike`: preferably the one along which the
// group's points lie.
std::size_t axis_to_compare(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// The fastest of the curves that a group has along the series' last axis, one for each combination of the other axes: 1
// / the slope of the least steep straight line.
Finding find_best_rate(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// Whether that is clearly above one.
Finding find_exceeds_one(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// Times against the instructions that were issued: the last place before one has to wait, which takes much longer than
// those before. The first few points give the line that predicts the others up to there within `slack`.
Finding find_queue(const Curve& curve, double slack);

// The end of the first instruction is at `unlike`, that of the second at `like`, against the amount of the second.
// Overtaken: the second ends before the first wherever this can be observed, and the first is not delayed by it, so it
// was in flight.
Finding find_overtaking(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// The values at `like` minus those at `unlike`, at each place of the other axes: the median, minimum and maximum.
Finding find_difference_between(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// For the straight lines through the values at `like` and through those at `unlike`, along the last axis: where they
// meet, or how far apart they are at 0.
Finding find_crossing(const FactRule& rule, const results::Series& series, const SeriesGroup& group);
Finding find_offset(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// How many places of the last axis precede one that is later at `like` than at `unlike`, by the rule's `least` more
// than the first place is (what begins late, is late from the first on): the same at each place of the other axes, or,
// if lines are held as a whole, one less at each next place until it is as many as at first again. The value is the
// largest number then, with all of them as the range.
Finding find_gap(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

}  // namespace ptxlat::series
