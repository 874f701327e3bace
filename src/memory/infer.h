// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/machine.h"
#include "results/record.h"

namespace ptxlat::memory {

// The facts of any machine. Error{unknown_name} for an unknown kind.
std::vector<results::Fact> infer(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::memory
