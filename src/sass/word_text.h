// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "sass/instruction.h"

namespace ptxlat::sass {

// The text of an instruction word, wherever it is.
//   text             without a branch target at its end
//   target_distance  from the instruction to the target, in bytes
struct WordText {
  std::string text;
  bool has_target = false;
  int target_distance = 0;
  bool operator==(const WordText&) const = default;
};

// A word without the fields that its text does not show: stall count, yield, scoreboards, wait mask.
InstructionWord disassembly_key(const InstructionWord& word);
struct DisassemblyKeyHash {
  std::size_t operator()(const InstructionWord& key) const noexcept;
};

}  // namespace ptxlat::sass
