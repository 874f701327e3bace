// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/machine.h"
#include "results/record.h"

namespace ptxlat::memory {

// A second-level cache of one or two partitions, each of many slices, that several SMs share. Every fact is present,
// with the verdict undetermined and the reason if it could not be found: a failed stage only costs its own facts.
std::vector<results::Fact> infer_l2(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::memory
