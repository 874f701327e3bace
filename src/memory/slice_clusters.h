// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ptxlat::memory {

// Consecutive accesses alternate between two latencies some cycles apart, depending on the phase of the SM and L2
// clocks, with a constant mean: so the mean distinguishes slices, and pairs of accesses show its noise.
struct Repeats {
  double mean = 0;
  double variance = -1;  // of the mean; below 0 if too few are left
};
Repeats summary_of(const std::vector<double>& cycles);
// The standard deviation of an SM's means.
double noise_of(std::vector<double> variances);

// The time for each of some lines from each of some SMs.
struct Fingerprints {
  std::vector<std::vector<float>> of_line;  // [line][SM], cycles
  std::vector<double> noise;                // [SM], the standard deviation of such a mean, by its own repeats
};

// Lines of one slice only differ by noise. Lines of different slices may differ by as little as a cycle, and only from
// some SMs, while halves of the chip are 200 cycles apart. So lines are divided step by step, each time where the gap
// is widest, in the directions in which they differ most; a part whose held-out lines only show noise is a slice.
struct SliceClusters {
  std::vector<std::vector<float>> centres;  // [slice][SM], cycles
  std::vector<std::size_t> sizes;           // lines of each, including held-out ones
  std::vector<double> noise;                // [SM]
  double limit = 0;                         // how far a line may be from its slice's centre, as given by distance_to
  std::size_t unresolved = 0;  // parts whose held-out lines differ by more than noise, without a gap, or are
                               // too few to tell
  std::size_t alone = 0;       // lines in parts too small to be slices
  std::size_t strangers = 0;   // held-out lines in no slice
  double least_gap = 0;        // the narrowest gap between two slices: a ratio of distances
};
SliceClusters cluster_slices(const Fingerprints& lines, const Fingerprints& held_out);

// The slice whose centre is closest to a fingerprint from some of the SMs, as indices; -1 if none is within the limit.
int slice_of(const SliceClusters& slices, const std::vector<float>& print, const std::vector<std::size_t>& sms);

// Assuming that all slices have equal shares: slices so large that they may be two that no SM can tell apart, slices so
// small that they may be parts of one, and the number of slices if each large one counts as many as its lines suggest.
// `independent`: the maximum number of lines whose slices are independent of each other.
struct Shares {
  std::size_t crowded = 0, sparse = 0, slices = 0;
};
Shares shares_of(const std::vector<std::size_t>& sizes, double independent);

}  // namespace ptxlat::memory
