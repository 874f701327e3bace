// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptxlat::sass {

// How machine code is laid out.
//   maxwell  sm_50 … sm_62: groups of 32 bytes: a control word and three instructions of 64 bits each
//   volta    sm_70 and later: 128 bits, with the control bits inside
enum class CodeLayout { maxwell, volta };
constexpr CodeLayout layout_of(int sm) { return sm < 70 ? CodeLayout::maxwell : CodeLayout::volta; }

// Where an instruction is, in bytes from the start of its kernel.
int offset_of(CodeLayout layout, std::size_t index);
// How many bytes this many instructions take; Maxwell's come in groups of three.
std::size_t size_of_code(CodeLayout layout, std::size_t instructions);

// One instruction and its control bits. A Maxwell instruction is in `low`, and its share of the control word at bit 41
// of `high`, where Volta has the same fields in the same order.
struct InstructionWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const InstructionWord&) const = default;
};

// The scheduling half of an instruction: ptxas's decision about when it and its successor may issue. Scoreboards are
// numbered 0…5; no_scoreboard means none.
struct ControlWord {
  static constexpr int no_scoreboard = 7;
  int stall_count = 0;  // cycles until the next instruction of this warp may issue, 0…15
  bool yields = false;
  int write_scoreboard = no_scoreboard;  // released when the result is written: variable latency
  int read_scoreboard = no_scoreboard;   // released when the operands have been read
  int wait_mask = 0;                     // scoreboards that must be free before this instruction issues
  int reuse = 0;                         // operand reuse cache
};

// Its result comes when the hardware says so.
constexpr bool writes_scoreboard(const ControlWord& control) {
  return control.write_scoreboard != ControlWord::no_scoreboard;
}

ControlWord control_word(const InstructionWord& word);
// The word with different control bits; only for the layout volta.
InstructionWord with_control(InstructionWord word, const ControlWord& control);

// The opcode with its operand kinds: Volta's low 12 bits, Maxwell's high 16, which include modifiers.
constexpr int opcode_field(CodeLayout layout, const InstructionWord& word) {
  return static_cast<int>(layout == CodeLayout::volta ? word.low & 0xfff : word.low >> 48);
}
// Whether this reads SR_CLOCKLO or SR_CLOCKHI in any of the ways that ptxas does (CS2R, S2R, S2UR, CS2UR).
bool reads_clock(CodeLayout layout, const InstructionWord& word);
// Whether this is the read into RZ that precedes each clock read on sm_60.
bool discards_clock(CodeLayout layout, const InstructionWord& word);

// The text of what the disassembler does not know. Nothing is proven about a window that has one.
inline constexpr char unknown_instruction[] = "UNKNOWN";

// One instruction of a kernel. `text` is nvdisasm's, with branch targets relative to the kernel.
struct Instruction {
  int offset = 0;  // bytes from the start of the kernel
  InstructionWord word;
  ControlWord control;
  std::string text;
};

// Whether control may go somewhere other than the next instruction: branches, calls, returns, exits.
bool changes_control_flow(std::string_view text);

// "IMAD.IADD" of "@!P0 IMAD.IADD R7, R6, 0x1, R7".
std::string_view opcode_of(std::string_view text);

}  // namespace ptxlat::sass
