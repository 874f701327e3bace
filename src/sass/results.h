// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sass/dataflow.h"

namespace ptxlat::sass {

// How many registers of a lane the result of a warp's matrix instruction has, by its name: a text shows only the first.
// 0 for every other opcode, those of a warpgroup among them.
int matrix_registers(std::string_view opcode);

// TEX and the like have two results, of which register_use takes the second for a source.
bool reads_texture(std::string_view opcode);

// What an instruction writes, with all registers of a matrix, of a wide load and of a texture's components.
// (register_use has two at most: enough for addresses and doubles.)
std::vector<Register> results_of(std::string_view text);

}  // namespace ptxlat::sass
