// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "series/knees.h"
#include "series/series_facts.h"
#include "series/series_groups.h"

namespace ptxlat::series {

// The differences between neighbours of the sorted values, along the axis with the most places, at each place of the
// other axes: the median, with the quartiles as range.
Finding find_steps(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// In which order the clauses of a chain begin, along the axis `thread`, whose place is the clause's number, at each
// place of the other axes, which say which lane takes which clause: `first_to_last` or `last_to_first`. The first half
// of these places gives the rule, which must predict the others.
Finding find_path_order(const results::Series& series, const SeriesGroup& group);

// Whether all lanes go on at the same time (`like`) after the last of them has ended (`unlike`), at each place of the
// axes other than `thread` and that of the two: `together`, or `apart`.
Finding find_meeting(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// Which places of an axis have the same value within `least`: "1 2 3 | 4", in the order of the values.
Finding find_together(const FactRule& rule, const results::Series& series, const SeriesGroup& group);

// `passes` if all values are 1; `hangs` otherwise: 2 is a bounded spin that gave up, 3 a launch that did not end.
Finding find_outcome(const Curve& curve);

// The values as a list.
Finding find_list(const Curve& curve);

}  // namespace ptxlat::series
