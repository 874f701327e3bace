// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "series/series_facts.h"
#include "series/series_groups.h"
#include "series/series_models.h"

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

// SMs whose clocks differ by a constant of their own share a domain.
//   sms   the SMs of each domain, in the order of their lowest
//   skew  the largest difference between two clocks of a domain, in cycles
//   why   empty if both halves of the readings give the same domains
struct Domains {
  std::vector<std::vector<std::size_t>> sms;
  double skew = 0;
  std::string why;
};

// From clocks [sm][tick], of 32 bits that wrap, read at the same moments, each at most a turn of a waiting loop late.
Domains domains_of(const std::vector<std::vector<double>>& clocks);

// The number of domains, their sizes and the skew, from a group along the axes `sm` and `tick`.
std::vector<Finding> find_domains(const results::Series& series, const SeriesGroup& group, double least);

// The greatest common divisor of every second value, which must divide the others: the step of a counter from
// differences of its readings.
Finding find_common_divisor(const Curve& curve);

}  // namespace ptxlat::series
