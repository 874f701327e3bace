#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/readout.h"
#include "results/record.h"

namespace ptxlat::latency {

// Elapsed cycles of each launch, seen from thread 0: the unsigned 32-bit difference of the two clocks that every thread
// stores first (ptx_templates/skeletons/frame.ptx).
std::vector<std::uint32_t> elapsed_cycles(const kernel::Readout& readout);

// The most frequent elapsed time of several launches and its share of them. On an idle SM cycles are deterministic; a
// spread is a symptom (method.md, trap 16). Empty without samples. Of equally frequent values the smallest wins.
struct Mode {
  std::uint32_t cycles = 0;
  double share = 0;
};
std::optional<Mode> mode_of(const std::vector<std::uint32_t>& samples);

// What a window's launches say: the mode where it is the majority. What leaves the SM meets another clock domain, and
// no value has a majority then: the median, if all launches but the slowest, which may be the first, lie within a tenth
// of it; empty for a wider spread. Each launch of a kernel that uses memory touches different cache lines, and we
// cannot choose their L2 slice, so there the fastest launch (nearest slice) counts.
std::optional<double> elapsed_of(const std::vector<std::uint32_t>& samples, bool uses_memory);

// How far samples lie apart in cycles, the slowest aside, which may be the first launch. 0 where one value has the
// majority.
double spread_of(const std::vector<std::uint32_t>& samples);

// The widest of the windows that a record's numbers come from.
double spread_of(const results::Record& record);

}  // namespace ptxlat::latency
