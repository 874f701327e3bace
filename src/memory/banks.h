// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/machine.h"
#include "results/record.h"

namespace ptxlat::memory {

// The banks of a memory that a warp accesses at once (Mei and Chu, section 5): how many, how wide, whether lanes that
// access one word share it, and the cost of each further word of a bank. A request to the machine is one warp's: its
// addresses are the lanes', and its time is the longest of its answers.
std::vector<results::Fact> infer_banks(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::memory
