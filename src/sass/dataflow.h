#pragma once

#include <string_view>
#include <vector>

#include "sass/window.h"

namespace ptxlat {

// Which registers an instruction reads and writes, from its disassembly. Registers are numbered: R0… from 0, P0… from
// 256, UR0… from 512, UP0… from 768, and Maxwell's condition code (R4.CC; read by IADD.X) is 1024. RZ, PT, URZ and UPT
// hold constants and never appear. `may_read` has the upper
// halves of what may be 64-bit operands: with them a slice can only be too large, never too small.
struct RegisterUse {
  std::vector<int> reads;
  std::vector<int> may_read;
  std::vector<int> writes;
  bool is_predicated = false;  // it may leave its destination as it was
};
RegisterUse register_use(std::string_view text);

// Which instructions of the window the value in its last instruction before the second clock read depends on: the
// backward slice. result[i] tells about window.instructions[i]. The clock reads themselves are not in it.
std::vector<bool> backward_slice(const Window& window);

// Which instructions do nothing but copy the first clock reading around (at -O0 it goes through MOVs).
std::vector<bool> clock_copies(const Window& window);

}  // namespace ptxlat
