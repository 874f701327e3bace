// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sass/instruction.h"

namespace ptxlat::sass {

// The name of a kernel's own subroutine ends with this (ptx_templates/skeletons/subroutine.ptx). ptxas puts it after
// its kernel; in linked code, as the driver's JIT and nvJitLink make it, it is a separate function.
inline constexpr std::string_view subroutine_suffix = "_pass";

// The machine code of one kernel, including its own subroutine and those that the assembler appended.
//   registers  of a thread; 0 if the cubin does not say
struct KernelCode {
  std::string name;
  std::vector<InstructionWord> words;
  CodeLayout layout = CodeLayout::volta;
  int registers = 0;
};

struct Cubin {
  int sm = 0;  // 90 for sm_90; without the suffix
  std::vector<KernelCode> kernels;
};

// Reads an ELF64 cubin as ptxas, nvJitLink and the driver write it. Throws Error{failure} that names the fault if it is
// not one, is truncated, or is for Kepler or older, whose machine code has a different layout.
Cubin read_cubin(const std::vector<std::uint8_t>& bytes);

// An instruction word and where in its kernel it goes, in bytes from the start.
struct PlacedWord {
  int offset = 0;
  InstructionWord word;
};

// The cubin with some words of a kernel overwritten; only for the layout volta. Error{failure} if it has no such
// kernel, or the kernel is shorter.
std::vector<std::uint8_t> write_words(std::vector<std::uint8_t> cubin, const std::string& kernel,
                                      const std::vector<PlacedWord>& words);

}  // namespace ptxlat::sass
