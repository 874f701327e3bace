// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "memory/prober.h"

namespace ptxlat::memory {

//   name     a policy's, or "random" if equal accesses do not have equal outcomes; empty if no known policy predicts
//            the observations
//   strings  how many random strings of accesses it predicted without error, none of them used to choose it
//   victims  for a random policy: how often each way was evicted, in the order in which an empty set fills
struct FoundPolicy {
  std::string name;
  int strings = 0;
  std::vector<double> victims;
};

// `lines` are of one set with this many ways, and outnumber them.
FoundPolicy find_policy(Prober& prober, const Lines& lines, std::size_t ways);

}  // namespace ptxlat::memory
