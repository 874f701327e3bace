// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "memory/machine.h"
#include "memory/prober.h"
#include "results/record.h"

namespace ptxlat::memory {

// Lines that do not fit, but fit without any one of them.
//   lines     of a conflict set: one more than a set has ways; empty if none was found
//   capacity  if lines did not fit although no set was too small: how many did. Then something other than ways is
//             scarce
struct Conflict {
  Lines lines;
  std::uint64_t capacity = 0;
};

// From lines at strides of `step` and more. Assumes that no set has more than `most_ways`.
Conflict find_conflict(Prober& prober, std::uint64_t step, std::size_t most_ways);
// From lines that do not fit.
Conflict smallest_conflict(Prober& prober, Lines lines, std::size_t most_ways);

// The structure of one level of a cache: sectors, lines, ways, sets and their index, capacity and replacement policy.
// Every fact is present, with the verdict undetermined and the reason if it could not be found; `seed` chooses the
// lines that are tried. After Mei and Chu, section 4, and Wong et al., section IV, but with group testing instead of
// reading plots: see docs/inference.md.
std::vector<results::Fact> infer_cache(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::memory
