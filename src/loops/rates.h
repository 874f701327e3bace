// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ptx/readout.h"

namespace ptxlat::loops {

inline constexpr double sub_partitions = 4;  // of every SM since Volta
// From the first warp's clock to its loop, and from the last one's loop to its clock.
inline constexpr double cycles_of_ends = 200;

// Cycles from the first warp's first clock to the last warp's last: a scheduler favours one warp, so only all of them
// together show what the SM did. Of several CTAs, each on its own SM and with its own clock, those of the slowest.
//   middle    the mean of the launches without an eighth at each end
//   launches  one after the other; a launch is empty if no warp stored its clocks, because it did not fit on its SM
struct Elapsed {
  double middle = 0;
  std::vector<std::optional<double>> launches;
};
// The launches of a readout.
//   threads  of a CTA
std::vector<std::optional<double>> cycles_of_launches(const ptx::Readout& readout, std::size_t threads);
// Empty if all launches are.
std::optional<Elapsed> elapsed_of(std::vector<std::optional<double>> launches);

// The times of two loops that only differ in the number of copies in their bodies.
struct Timing {
  int warps = 0, rounds = 0;
  double shorter = 0, longer = 0;  // cycles
};

// The SM time that one more copy takes with this many warps, in cycles: the slope over the two bodies. If several warps
// share a scheduler and the slope is faster than the longer loop itself by more than its ends can explain, the warps
// drifted apart, and the longer loop's own rate counts.
//   shorter_copies, longer_copies  in the bodies
double cycles_of_copy(const Timing& timing, int shorter_copies, int longer_copies);

// The result of a curve of throughput over warps.
//   per_clock     the best results per cycle of an SM, counted per thread: the median over all numbers of warps that
//                 come within 1 % of the best, because a maximum over many measurements picks up their errors. A single
//                 maximum less than 2 % above the second largest is such an error, unless the largest number of warps
//                 has it; the best is then the second largest.
//   interval      cycles between two instructions in one of the SM's four sub-partitions at that rate
//   saturates_at  the smallest number of warps that comes within 3 % of it
//   still_rises   the largest number of warps does more than any smaller one, so saturation was not reached
//   best          which numbers of warps come within 1 % of the best
struct Saturation {
  double per_clock = 0;
  double interval = 0;
  int saturates_at = 0;
  bool still_rises = false;
  std::vector<std::size_t> best;
};
// results: per cycle, counted per thread, for each number of warps; at least one.
Saturation saturation_of(const std::vector<int>& warps, const std::vector<double>& results);

}  // namespace ptxlat::loops
