#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sass/instruction.h"

namespace ptxlat::sass {

// What the name of a kernel's own subroutine ends with (ptx_templates/skeletons/subroutine.ptx). ptxas puts it behind
// its kernel; where the code was linked, as the driver's JIT and nvJitLink do, it is a function of its own.
inline constexpr std::string_view subroutine_suffix = "_pass";

// The machine code of one kernel, its own subroutine and those that the assembler appended included.
struct KernelCode {
  std::string name;
  std::vector<InstructionWord> words;
  CodeLayout layout = CodeLayout::volta;
};

struct Cubin {
  int sm = 0;  // 90 for sm_90; the suffix is not in here
  std::vector<KernelCode> kernels;
};

// Reads an ELF64 cubin as ptxas, nvJitLink and the driver write it. Throws Error{failure} that names the fault if it is
// not one, is truncated, or is for Kepler or older, whose machine code is laid out in another way.
Cubin read_cubin(const std::vector<std::uint8_t>& bytes);

// An instruction word and where in its kernel it goes, in bytes from the start.
struct PlacedWord {
  int offset = 0;
  InstructionWord word;
};

// The cubin with words of a kernel written over; of the layout volta. Error{failure} if it has no such kernel, or that
// is shorter.
std::vector<std::uint8_t> write_words(std::vector<std::uint8_t> cubin, const std::string& kernel,
                                      const std::vector<PlacedWord>& words);

}  // namespace ptxlat::sass
