// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sass/cubin.h"
#include "sass/dataflow.h"

namespace ptxlat::sass {

// How many registers of a lane the result of a warp's matrix instruction has, by its name: a text shows only the first.
// 0 for every other opcode, those of a warpgroup among them.
int matrix_registers(std::string_view opcode);

// TEX and the like have two results, of which register_use takes the second for a source.
bool reads_texture(std::string_view opcode);

// The registers that an instruction writes, with all registers of a matrix, of a wide load and of a texture's
// components. (register_use has two at most: enough for addresses and doubles.)
std::vector<Register> results_of(std::string_view text);

// All registers that an instruction reads, as far as its text shows them: with those behind the first register of a
// matrix, and the upper halves of pairs.
std::vector<Register> sources_of(std::string_view text);

// The kernels that call a function whose address is in a register. The address comes from a table of the module, whose
// other entries belong to the other kernels: what such a kernel's code is depends on them. A kernel's own subroutines
// (of div.s64) are called by their distance and depend on nothing.
std::set<std::string> kernels_that_call_by_address(const std::vector<KernelCode>& kernels);

}  // namespace ptxlat::sass
