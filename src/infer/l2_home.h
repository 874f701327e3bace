#pragma once

#include <optional>
#include <string>
#include <vector>

#include "infer/l2_talk.h"
#include "results/record.h"

namespace ptxlat::infer {

// The two sides of an L2 that has two partitions: each line has its home on one of them, each SM is near to one.
struct Homes {
  // An SM, the side that it is near to, and a latency between those of near and far lines.
  struct Sm {
    int sm = 0, side = 0;
    double middle = 0;
  };
  std::vector<Sm> sms;  // empty for one partition, or where sides were not found, for `reason`
  double apart = 0;     // what a far line takes more
  std::string reason;

  bool are_two() const { return !sms.empty(); }
  // Of a side, the first `most`, spread over it.
  std::vector<int> sms_of(int side, std::size_t most) const;
};
Homes find_homes(L2Talk& talk);
// l2.sm_sides: of each SM that was tried, the side that it is near to; SM 0's is 0.
results::Fact sides_fact(const Homes& homes);
// The side that is each line's home: 0 for all where there is one partition.
std::vector<int> homes_of(L2Talk& talk, const Homes& homes, const Lines& lines);
// Lines whose home is a side, `count` of them.
Lines lines_at(L2Talk& talk, const Homes& homes, int side, std::size_t count);

// Which address bits inside a page decide on the home, by their parity. 0 where none was found.
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
  int side = 0;  // what it is near to
  Cost near_hit, miss_near;
  std::optional<Cost> far_first, miss_far;
  bool copies_near = false;  // a far line's later reads are near hits

  // What separates a near hit from the next, after the hit's own latency is taken off.
  double miss_step() const { return miss_near.cycles - near_hit.cycles; }
  double least_step() const {
    return far_first ? std::min(miss_step(), far_first->cycles - near_hit.cycles) : miss_step();
  }
  // Whether some partition had it.
  bool is_miss(double extra, bool is_near) const;
};
// Nothing if hits and misses do not differ.
std::optional<L2Costs> find_costs(L2Talk& talk, const Homes& homes);
std::vector<results::Fact> facts_of(const std::optional<L2Costs>& costs, const Homes& homes, const std::string& reason);

}  // namespace ptxlat::infer
