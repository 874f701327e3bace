#pragma once

#include <optional>
#include <vector>

#include "kernel/readout.h"

namespace ptxlat::machine {

// Cycles from the first warp's first clock to the last warp's last, the median of the launches: a scheduler lets one
// warp go first, so that only all of them together say what the SM did. Empty if no warp stored its clocks.
std::optional<double> elapsed_of(const kernel::Readout& readout);

// How long two loops took that differ in nothing but the number of copies in their bodies.
struct Timing {
  int warps = 0;
  double shorter = 0, longer = 0;  // cycles
};

// What one more copy takes of an SM's time with so many warps, in cycles: the slope over the two bodies. Where several
// warps share a scheduler and that is faster than the longer loop itself by more than its ends can explain, they ran
// apart, and the longer loop's own rate counts.
//   shorter_copies, longer_copies  in the bodies, of which each is run `rounds` times
double cycles_of_copy(const Timing& timing, int shorter_copies, int longer_copies);

// What a curve of throughput over warps says.
//   per_clock     results of threads that an SM makes in a cycle, at best: the median of what all numbers of warps make
//                 that come within 3 % of the most, because the most of many is what an error added
//   interval      cycles between two instructions that one of the SM's four sub-partitions then takes
//   saturates_at  fewest warps among those
//   still_rises   the most warps do more than any fewer: there is no telling what would be enough
struct Saturation {
  double per_clock = 0;
  double interval = 0;
  int saturates_at = 0;
  bool still_rises = false;
};
// results: of threads a cycle, for each number of warps. There must be one.
Saturation saturation_of(const std::vector<int>& warps, const std::vector<double>& results);

}  // namespace ptxlat::machine
