// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/l2_home.h"

namespace ptxlat::memory {

// The bytes that one access brings from memory: aligned blocks about the address.
struct Fetches {
  std::uint64_t sector_bytes = 0;  // the smallest block that any access brought
  std::vector<results::Fact> facts;
};
Fetches find_fetches(L2Talk& talk, const Homes& homes, const HomeMask& mask, const L2Costs& costs);
// The facts if there are no costs, for `reason`.
std::vector<results::Fact> no_fetches(const L2Talk& talk, const std::string& reason);

}  // namespace ptxlat::memory
