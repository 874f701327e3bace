// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxlat::cuda {

// A load of a part of a parameter: "ld.param.u8 %r2, [f_param_0+1]", or a vector of equal parts. NVRTC reads `x >> 16`
// and `x & 255` like that, because parameters are in memory.
//   to         the registers; width: of each, in bits
//   bits       that each gets; the rest is zeros, or copies of the sign
//   offset     of the first bit
struct PartLoad {
  std::vector<std::string> to;
  int width = 0;
  int bits = 0;
  int offset = 0;
  bool is_signed = false;
};

// The statements that take the part out of an operand in a register, as NVVM writes them for a value that is in one.
// Empty if the registers have no width.
std::vector<std::string> part_of(const std::string& operand, int operand_bits, const PartLoad& load);

}  // namespace ptxlat::cuda
