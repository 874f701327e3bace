// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/machine.h"
#include "results/record.h"

namespace ptxlat::memory {

// Translation: at most two levels, each a cache whose line is the memory that an entry covers (Mei and Chu, section
// 4.5; Wong et al., section IV-I). Facts as infer_cache.
std::vector<results::Fact> infer_tlb(Machine& machine, std::uint64_t seed);

// Constant memory: at most three levels, each a cache (Wong et al., section IV-H).
std::vector<results::Fact> infer_constant(Machine& machine, std::uint64_t seed);

// The facts of any machine. Error{unknown_name} for an unknown kind.
std::vector<results::Fact> infer(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::memory
