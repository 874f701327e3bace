// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "catch.h"
#include "line/kernel_assembler.h"
#include "sass/disassembler.h"

namespace ptxlat {

// For a line that assembles nothing.
struct NoAssembler : line::KernelAssembler {
  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>&, int) override { return {}; }
};

// Makes nothing of any kernel, in words that an assembler which failed has, too.
//   fails  whether it did, or rejects the kernels
struct NoCubins : line::KernelAssembler {
  bool fails = false;
  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int) override {
    assemble::BatchOutcome outcome;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      outcome.kernels.push_back({std::nullopt, {}, "error: 'the assembler failed: ' is no instruction", fails});
    return outcome;
  }
};

struct NoDisassembler : sass::Disassembler {
  void disassemble(int, const std::vector<sass::Instruction*>& instructions) override { CHECK(instructions.empty()); }
};

}  // namespace ptxlat
