// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "results/opcode.h"

namespace ptxlat::tables {

// Opcodes that differ only in modifiers which change nothing that was measured, by their numbers: the shortest name of
// each group first, groups in the order of those. The opcodes of a group have the same name up to the first point, the
// same unit, pipe, arrival and saturates_at, throughputs and latencies that any two of them have in common to 1 %, and
// equal counters, latencies to pipes and hazards where two have them.
std::vector<std::vector<std::size_t>> alike_opcodes(const std::vector<results::Opcode>& opcodes);

}  // namespace ptxlat::tables
