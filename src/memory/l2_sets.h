// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/l2_home.h"

namespace ptxlat::memory {

// l2.ways and l2.policy, from lines of one set, found by group testing; and the extent of a line, from the data evicted
// together with it (0 if not found), for the caller to compare.
struct L2Sets {
  std::uint64_t line_bytes = 0;
  std::string line_how;
  std::vector<results::Fact> facts;
};
// `line_bytes`: at least a line, so that each line of a pool is touched once.
L2Sets find_l2_sets(L2Talk& talk, const Homes& homes, const L2Costs& costs, std::uint64_t line_bytes,
                    std::uint64_t sector_bytes);

}  // namespace ptxlat::memory
