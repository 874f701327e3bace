#pragma once

#include <vector>

#include "infer/machine.h"
#include "results/record.h"

namespace ptxlat::infer {

// A second-level cache of one or two partitions, each of many slices, that several SMs share. Every fact is there, with
// the verdict undetermined and the reason where it could not be found: stages that fail cost their own facts only.
std::vector<results::Fact> infer_l2(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::infer
