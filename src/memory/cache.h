// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/machine.h"
#include "results/record.h"

namespace ptxlat::memory {

// The structure of one level of a cache: sectors, lines, ways, sets and their index, capacity and replacement policy.
// Every fact is present, with the verdict undetermined and the reason if it could not be found; `seed` chooses the
// lines that are tried. After Mei and Chu, section 4, and Wong et al., section IV, but with group testing instead of
// reading plots: see docs/inference.md.
std::vector<results::Fact> infer_cache(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::memory
