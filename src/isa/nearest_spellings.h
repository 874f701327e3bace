// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ptxlat::isa {

// The spellings in `names` that `wanted` may stand for, nearest first, whatever the case of its letters: those of its
// opcode that differ in the fewest qualifiers (fma.rn.f32 for fma.f32), in the order of `names`; else opcodes with a
// similar name.
std::vector<std::string> nearest_spellings(const std::string& wanted, const std::vector<std::string>& names,
                                           std::size_t limit = 3);

}  // namespace ptxlat::isa
