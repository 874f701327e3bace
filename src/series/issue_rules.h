// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "series/series_facts.h"
#include "series/series_groups.h"
#include "series/series_models.h"

namespace ptxlat::series {

// Several warps of one scheduler that can issue all the time, started one after another, and the outcome.
//   released  their numbers in the order in which they were started
//   ended     their numbers in the order in which they ended
//   shared    whether they took turns: none took about as long as it would have alone
struct ScheduledRun {
  std::vector<std::size_t> released, ended;
  bool shared = false;
};

// A rule by which a scheduler chooses among ready warps (docs/probes.md has the names), and the order in which warps
// started like this would end. Empty for the rule that lets them take turns.
struct SchedulingRule {
  const char* name;
  std::vector<std::size_t> (*ended)(const std::vector<std::size_t>& released);
};
const std::vector<SchedulingRule>& scheduling_rules();

// The rule that remains after every second run and that the other runs confirm; empty if none or several do, with the
// reason in `why`.
//   predicted  runs that were not used to choose it
struct FoundScheduling {
  std::string name, why;
  std::size_t predicted = 0;
};
FoundScheduling find_scheduling(const std::vector<ScheduledRun>& runs);

// The runs of a group: the digits on the axis `order` say which warp was started when, counted from 1; the axis `warp`
// has the working warps in the order of their numbers; the axis `word` has `start` and `end`.
std::vector<ScheduledRun> runs_of(const results::Series& series, const SeriesGroup& group);

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
