// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assemble/assembler.h"
#include "window.h"

// Cubins written by hand, so that a test knows the right answer beforehand and needs no assembler.
namespace standin {

// stall: 0…15. sets: the write scoreboard, 7 for none. waits: a mask of scoreboards.
Instruction op(unsigned opcode, unsigned stall, unsigned sets = 7, unsigned waits = 0);
// CS2R of SR_CLOCKLO.
Instruction read_clock(unsigned stall);

ptxlat::Bytes tiny_cubin(const std::vector<std::pair<std::string, Code>>& kernels);

}  // namespace standin
