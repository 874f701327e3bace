// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "catch.h"
#include "line/kernel_assembler.h"
#include "sass/disassembler.h"

namespace ptxlat {

// For a line that assembles nothing.
struct NoAssembler : line::KernelAssembler {
  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>&, int) override { return {}; }
};

struct NoDisassembler : sass::Disassembler {
  void disassemble(int, const std::vector<sass::Instruction*>& instructions) override { CHECK(instructions.empty()); }
};

}  // namespace ptxlat
