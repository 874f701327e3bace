#pragma once

#include <vector>

#include "infer/machine.h"
#include "results/record.h"

namespace ptxlat::infer {

// The banks of a memory that a warp accesses at once (Mei and Chu, section 5): how many, how wide, whether lanes that
// want one word share it, and what each further word of a bank costs. A request to the machine is one warp's: its
// addresses are the lanes', and the longest of its answers is what it took.
std::vector<results::Fact> infer_banks(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::infer
