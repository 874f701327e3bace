#pragma once

#include <vector>

#include "infer/machine.h"
#include "results/record.h"

namespace ptxlat::infer {

// The structure of one level of a cache: sectors, lines, ways, sets and their index, capacity and replacement policy.
// Every fact is there, with the verdict undetermined and the reason where it could not be found; `seed` chooses the
// lines that are tried. After Mei and Chu, section 4, and Wong et al., section IV, with what they read off plots found
// by group testing: see docs/inference.md.
std::vector<results::Fact> infer_cache(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::infer
