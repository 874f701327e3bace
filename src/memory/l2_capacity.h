// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/l2_home.h"

namespace ptxlat::memory {

// What the cache still has after laps over more and more bytes. Beyond the capacity, whatever is evicted, the cache has
// its capacity: so the remaining share times the bytes does not depend on the bytes. No knee has to be found.
struct Capacity {
  double near_bytes = 0;  // what one SM can keep near: 0 if not found
  std::uint64_t line_bytes = 0;
  std::vector<results::Fact> facts;  // l2.near_capacity, l2.total_capacity, l2.line_bytes
};
// `sector_bytes` is the stride at which laps touch everything.
Capacity find_capacity(L2Talk& talk, const Homes& homes, const L2Costs& costs, std::uint64_t sector_bytes);

}  // namespace ptxlat::memory
