// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/l2_talk.h"
#include "results/record.h"

namespace ptxlat::memory {

// The two sides of an L2 with two partitions: each line has its home on one side, and each SM is near one.
struct Homes {
  // An SM, the side that it is near, and a latency between those of near and far lines.
  struct Sm {
    int sm = 0, side = 0;
    double middle = 0;
  };
  std::vector<Sm> sms;  // empty for one partition, or if sides were not found, for `reason`
  double apart = 0;     // extra time of a far line
  std::string reason;

  bool are_two() const { return !sms.empty(); }
  // SMs of a side, at most `most`, spread over it.
  std::vector<int> sms_of(int side, std::size_t most) const;
};
Homes find_homes(L2Talk& talk);
// l2.sm_sides: for each SM that was tried, the side that it is near; SM 0's is 0.
results::Fact sides_fact(const Homes& homes);
// The side of each line's home: 0 for all if there is one partition.
std::vector<int> homes_of(L2Talk& talk, const Homes& homes, const Lines& lines);
// Lines whose home is a side, `count` of them.
Lines lines_at(L2Talk& talk, const Homes& homes, int side, std::size_t count);

// The address bits inside a page whose parity determines the home. 0 if none were found.
struct HomeMask {
  std::uint64_t mask = 0;
  std::vector<results::Fact> facts;
};
HomeMask find_home_mask(L2Talk& talk, const Homes& homes);

// Cycles of a load: the median over lines and SMs, and the range of the SMs' medians.
struct Cost {
  double cycles = 0, low = 0, high = 0;
};
struct L2Costs {
  int sm = 0;    // the SM whose lines the other stages access
  int side = 0;  // the side that it is near
  Cost near_hit, miss_near;
  std::optional<Cost> far_first, miss_far;
  bool copies_near = false;  // a far line's later reads are near hits

  // The threshold between a near hit and the next slower case, minus the hit's own latency.
  double miss_step() const { return miss_near.cycles - near_hit.cycles; }
  double least_step() const {
    return far_first ? std::min(miss_step(), far_first->cycles - near_hit.cycles) : miss_step();
  }
  // Whether some partition had the line.
  bool is_miss(double extra, bool is_near) const;
};
// Empty if hits and misses do not differ.
std::optional<L2Costs> find_costs(L2Talk& talk, const Homes& homes);
std::vector<results::Fact> facts_of(const std::optional<L2Costs>& costs, const Homes& homes, const std::string& reason);

}  // namespace ptxlat::memory
