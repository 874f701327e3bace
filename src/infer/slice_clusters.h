#pragma once

#include <cstddef>
#include <vector>

namespace ptxlat::infer {

// Accesses in a row alternate between two latencies some cycles apart, as the clocks of an SM and of the L2 meet, with
// a mean that stays: so it is the mean that tells slices apart, and pairs that tell its noise.
struct Repeats {
  double mean = 0;
  double variance = -1;  // of the mean; below 0 where too few are left
};
Repeats summary_of(const std::vector<double>& cycles);
// The standard deviation of an SM's means.
double noise_of(std::vector<double> variances);

// What each of some lines takes from each of some SMs.
struct Fingerprints {
  std::vector<std::vector<float>> of_line;  // [line][SM], cycles
  std::vector<double> noise;                // [SM], the standard deviation of such a mean, by its own repeats
};

// Lines of one slice differ by noise alone. Lines of different slices may differ by as little as a cycle, and only from
// some SMs, while halves of the chip are 200 cycles apart. So lines are divided step by step, each time where the gap
// is widest, in those directions in which they differ most; a part whose held-out lines show noise alone is a slice.
struct SliceClusters {
  std::vector<std::vector<float>> centres;  // [slice][SM], cycles
  std::vector<std::size_t> sizes;           // lines of each, held-out ones included
  std::vector<double> noise;                // [SM]
  double limit = 0;                         // how far a line may lie from its slice's centre, as distance_to gives it
  std::size_t unresolved = 0;  // parts whose held-out lines differ by more than noise, without a gap, or are
                               // too few to tell
  std::size_t alone = 0;       // lines in parts too small to be slices
  std::size_t strangers = 0;   // held-out lines at no slice
  double least_gap = 0;        // the narrowest gap that divided two: a ratio of distances
};
SliceClusters cluster_slices(const Fingerprints& lines, const Fingerprints& held_out);

// The slice whose centre is closest to a fingerprint from some of the SMs, as indices; -1 if none is within the limit.
int slice_of(const SliceClusters& slices, const std::vector<float>& print, const std::vector<std::size_t>& sms);

// If all slices have equal shares: those so large that they may be two which no SM tells apart, and those so small that
// they may be parts of one; and how many slices there are if each crowded one is as many as its lines say.
// `independent`: how many lines there are at the most whose slices do not depend on each other.
struct Shares {
  std::size_t crowded = 0, sparse = 0, slices = 0;
};
Shares shares_of(const std::vector<std::size_t>& sizes, double independent);

}  // namespace ptxlat::infer
