// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "series/series_groups.h"
#include "series/series_models.h"

namespace ptxlat::series {

// How an SM shares out registers: to whole warps, each in one of `parts` equal parts of the register file, a thread's
// rounded up to a multiple of `granularity`.
struct Allotment {
  int blocks = 0;  // that fit on an SM, whatever they need
  int warps = 0;
  int parts = 0;
  int registers = 0;  // of a part
  int granularity = 0;

  // CTAs of `warps_of_cta` warps that fit on an SM.
  int resident(int warps_of_cta, int registers_of_thread) const;
};

// CTAs that were on an SM together.
struct Resident {
  int warps = 0;      // of a CTA
  int registers = 0;  // of a thread
  int ctas = 0;
};

// The allotment that predicts every second measurement and then the others; if several do, the fewest registers and the
// smallest granularity, and `most_` is what it could be. `why` says why there is none.
struct FoundAllotment {
  Allotment allotment;
  int most_registers = 0, most_granularity = 0;
  std::size_t predicted = 0;  // held-out measurements
  std::string why;
};
FoundAllotment find_allotment(const std::vector<Resident>& measured);

// The largest CTA that the driver launches.
struct LargestCta {
  int registers = 0;  // of a thread
  int warps = 0;
};

// The same from the largest CTAs: a CTA must fit on an SM. No CTA is larger than the largest of all.
FoundAllotment find_allotment(const std::vector<LargestCta>& measured);

// Registers of a part, parts and granularity, from a group along the axes `registers` and `threads`, whose points that
// were launched have a value.
std::vector<Finding> find_capacity(const results::Series& series, const SeriesGroup& group);

// Blocks, warps, registers of a part, parts and granularity, from a group along the axes `threads` and `registers`.
std::vector<Finding> find_allotment(const results::Series& series, const SeriesGroup& group);

}  // namespace ptxlat::series
