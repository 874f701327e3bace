#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ptxlat {

// One 128-bit instruction word, sm_70 and later.
struct InstructionWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const InstructionWord&) const = default;
};

// The scheduling half of an instruction: what ptxas decided about when it and its successor may issue.
// Scoreboards are numbered 0…5; no_scoreboard means none.
struct ControlWord {
  static constexpr int no_scoreboard = 7;
  int stall_count = 0;  // cycles until the next instruction of this warp may issue, 0…15
  bool yields = false;
  int write_scoreboard = no_scoreboard;  // released when the result is written: variable latency
  int read_scoreboard = no_scoreboard;   // released when the operands have been read
  int wait_mask = 0;                     // scoreboards that must be free before this instruction issues
  int reuse = 0;                         // operand reuse cache
};

ControlWord control_word(const InstructionWord& word);

// The opcode with its operand kinds, 12 bits.
inline constexpr int opcode_field(const InstructionWord& word) { return static_cast<int>(word.low & 0xfff); }
// Whether this reads SR_CLOCKLO or SR_CLOCKHI in any of the ways that ptxas does (CS2R, S2R, S2UR, CS2UR).
bool reads_clock(const InstructionWord& word);

// One instruction of a kernel. `text` is nvdisasm's, with branch targets relative to the kernel.
struct Instruction {
  int offset = 0;  // bytes from the start of the kernel
  InstructionWord word;
  ControlWord control;
  std::string text;
};

// Whether control may go elsewhere than to the next instruction: branches, calls, returns, exits.
bool changes_control_flow(std::string_view text);

bool starts_with_any(std::string_view opcode, std::initializer_list<std::string_view> names);

// "IMAD.IADD" of "@!P0 IMAD.IADD R7, R6, 0x1, R7".
std::string_view opcode_of(std::string_view text);

}  // namespace ptxlat
