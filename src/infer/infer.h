#pragma once

#include <vector>

#include "infer/machine.h"
#include "results/record.h"

namespace ptxlat::infer {

// The facts of any machine. Error{unknown_name} for a kind that no inference is made for.
std::vector<results::Fact> infer(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::infer
