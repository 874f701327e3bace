// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sass/window.h"

namespace ptxlat {

// An instruction written by hand: its text and what its control word says.
struct Line {
  std::string text;
  int stall_count = 2;
  int write_scoreboard = sass::ControlWord::no_scoreboard;
  int wait_mask = 0;
  int read_scoreboard = sass::ControlWord::no_scoreboard;
};

inline std::vector<sass::Instruction> instructions(const std::vector<Line>& lines, int first_offset) {
  std::vector<sass::Instruction> code;
  for (const auto& line : lines) {
    sass::Instruction instruction;
    instruction.offset = first_offset + 16 * static_cast<int>(code.size());
    instruction.text = line.text;
    instruction.control.stall_count = line.stall_count;
    instruction.control.write_scoreboard = line.write_scoreboard;
    instruction.control.read_scoreboard = line.read_scoreboard;
    instruction.control.wait_mask = line.wait_mask;
    code.push_back(std::move(instruction));
  }
  return code;
}

// The operands R2, R3 and R5 come from memory, and everything that was started is waited for before the first clock:
// what the frame of every kernel looks like.
inline std::vector<Line> usual_prologue() {
  return {{"LDG.E.STRONG.SYS R2, desc[UR4][R6.64]", 2, 0},
          {"LDG.E.STRONG.SYS R3, desc[UR4][R6.64+0x8]", 2, 1},
          {"LDG.E.STRONG.SYS R5, desc[UR4][R6.64+0x10]", 2, 2},
          {"ISETP.NE.AND P0, PT, R2, -0x21524111, PT", 4, 7, 0x3f},
          {"@!P0 BRA 0x400", 5}};
}

// `between` the two clock reads, after a prologue.
inline sass::Window window(const std::vector<Line>& between, const std::vector<Line>& prologue = usual_prologue()) {
  sass::Window made;
  made.prologue = instructions(prologue, 0);
  std::vector<Line> lines{{"CS2R.32 R8, SR_CLOCKLO", 1}};
  lines.insert(lines.end(), between.begin(), between.end());
  lines.push_back({"CS2R.32 R9, SR_CLOCKLO", 1});
  made.instructions = instructions(lines, 16 * static_cast<int>(prologue.size()));
  return made;
}

// The same with code after the second clock read.
inline sass::Window with_epilogue(sass::Window made, const std::vector<Line>& epilogue) {
  made.epilogue = instructions(epilogue, made.instructions.back().offset + 16);
  return made;
}

}  // namespace ptxlat
