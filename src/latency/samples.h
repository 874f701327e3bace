// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/readout.h"
#include "results/record.h"

namespace ptxlat::latency {

// Elapsed cycles of each launch, seen from thread 0: the unsigned 32-bit difference of the two clocks that every thread
// stores first (ptx_templates/skeletons/frame.ptx).
std::vector<std::uint32_t> elapsed_cycles(const ptx::Readout& readout);

// The most frequent elapsed time of several launches and its share of them. On an idle SM cycles are deterministic; a
// spread is a symptom (method.md, trap 16). Empty without samples. Among equally frequent values the smallest wins.
struct Mode {
  std::uint32_t cycles = 0;
  double share = 0;
};
std::optional<Mode> mode_of(const std::vector<std::uint32_t>& samples);

// The result of a window's launches: the mode if it has the majority, but the fastest if two values take turns, because
// which of them has one launch more depends on the first (divergent accesses to local memory on an H100). An access
// that leaves the SM crosses into a different clock domain, and no value has a majority: then the median, if all
// launches except the slowest, which may be the first, are within a tenth of it; empty for a wider spread. Each launch
// of a kernel that uses memory touches different cache lines, and we cannot choose their L2 slice, so there the fastest
// launch (nearest slice) counts.
std::optional<double> elapsed_of(const std::vector<std::uint32_t>& samples, bool uses_memory);

// The spread of samples in cycles, without the slowest, which may be the first launch. 0 if one value has the majority.
double spread_of(const std::vector<std::uint32_t>& samples);

// The widest spread of the windows behind a record's numbers.
double spread_of(const results::Record& record);

}  // namespace ptxlat::latency
