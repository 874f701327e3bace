#pragma once

#include <optional>
#include <string>
#include <vector>

#include "infer/series_groups.h"

namespace ptxlat::infer {

// Several warps of one scheduler that can issue all the time, let go one after the other, and what came of it.
//   released  their numbers in the order in which they were let go
//   ended     their numbers in the order in which they ended
//   shared    whether they took turns: none took about as long as it would have alone
struct ScheduledRun {
  std::vector<std::size_t> released, ended;
  bool shared = false;
};

// A rule by which a scheduler chooses among ready warps (docs/probes.md has the words), and in which order it would let
// warps end that were let go so. Empty for the one that lets them take turns.
struct SchedulingRule {
  const char* name;
  std::vector<std::size_t> (*ended)(const std::vector<std::size_t>& released);
};
const std::vector<SchedulingRule>& scheduling_rules();

// The rule that every second run leaves and the others confirm; empty if none or several do, with the reason in `why`.
//   predicted  runs that were not used to choose it
struct FoundScheduling {
  std::string name, why;
  std::size_t predicted = 0;
};
FoundScheduling find_scheduling(const std::vector<ScheduledRun>& runs);

// The runs of a group: the axis `order` has in its digits which warp was let go when, counted from 1; the axis `warp`
// has those that worked in the order of their numbers; the axis `word` has `start` and `end`.
std::vector<ScheduledRun> runs_of(const results::Series& series, const SeriesGroup& group);

}  // namespace ptxlat::infer
