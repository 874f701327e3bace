// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "memory/prober.h"

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

}  // namespace ptxlat::memory
