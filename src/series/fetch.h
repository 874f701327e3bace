// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "series/knees.h"
#include "series/series_facts.h"
#include "series/series_groups.h"

namespace ptxlat::series {

// The distance, in the unit of the axis, at which values stand out of the others by more than `least`: the largest that
// divides the distances of the first half of them; it must also divide those of the others.
Finding find_spacing(const Curve& curve, double least);

// How many places have a value above the first one's by more than `slack`, as a word of four `levels`: none, one, less
// than half of them, or more.
Finding find_disturbed(const FactRule& rule, const Curve& curve, double slack);

// The ways of a cache, from the cost of visiting targets in turn, along the last axis, against their distance, along
// the axis before it: how many can be visited before one costs more than the rule's `least`. At the largest distance
// all are in one set; the next smaller one must allow as many, or twice as many.
Finding find_stride_ways(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

}  // namespace ptxlat::series
