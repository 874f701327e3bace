// SPDX-License-Identifier: Apache-2.0
#include "sass/instruction.h"

#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

// Opcode fields read in cubins of ptxas 11.8, 12.9 and 13.0 (method.md, section 5).
constexpr int opcode_cs2r = 0x805, opcode_s2r = 0x919, opcode_s2ur = 0x9c3, opcode_cs2ur = 0x8cb;
constexpr int maxwell_cs2r = 0x50c8, maxwell_s2r = 0xf0c8;

constexpr std::size_t maxwell_group_bytes = 32, maxwell_group_instructions = 3, maxwell_bytes = 8, volta_bytes = 16;

}  // namespace

int offset_of(CodeLayout layout, std::size_t index) {
  if (layout == CodeLayout::volta) return static_cast<int>(index * volta_bytes);
  const auto in_group = maxwell_bytes + index % maxwell_group_instructions * maxwell_bytes;  // after the control word
  return static_cast<int>(index / maxwell_group_instructions * maxwell_group_bytes + in_group);
}

std::size_t size_of_code(CodeLayout layout, std::size_t instructions) {
  if (layout == CodeLayout::volta) return instructions * volta_bytes;
  return (instructions + maxwell_group_instructions - 1) / maxwell_group_instructions * maxwell_group_bytes;
}

ControlWord control_word(const InstructionWord& word) {
  const auto field = [&](int bit, int width) { return static_cast<int>((word.high >> bit) & ((1u << width) - 1)); };
  ControlWord control;
  control.stall_count = field(41, 4);
  control.yields = field(45, 1) == 0;
  control.write_scoreboard = field(46, 3);
  control.read_scoreboard = field(49, 3);
  control.wait_mask = field(52, 6);
  control.reuse = field(58, 4);
  return control;
}

InstructionWord with_control(InstructionWord word, const ControlWord& control) {
  const auto put = [&](int bit, int width, int value) {
    const auto mask = ((std::uint64_t{1} << width) - 1) << bit;
    word.high = (word.high & ~mask) | (static_cast<std::uint64_t>(value) << bit & mask);
  };
  put(41, 4, control.stall_count);
  put(45, 1, control.yields ? 0 : 1);
  put(46, 3, control.write_scoreboard);
  put(49, 3, control.read_scoreboard);
  put(52, 6, control.wait_mask);
  put(58, 4, control.reuse);
  return word;
}

bool reads_clock(CodeLayout layout, const InstructionWord& word) {
  const int opcode = opcode_field(layout, word);
  const bool may_read = layout == CodeLayout::volta ? opcode == opcode_cs2r || opcode == opcode_s2r ||
                                                          opcode == opcode_s2ur || opcode == opcode_cs2ur
                                                    : opcode == maxwell_cs2r || opcode == maxwell_s2r;
  if (!may_read) return false;
  // The special register's number is in bits 72-79, Maxwell's in 20-27: 0x50 is SR_CLOCKLO, 0x51 SR_CLOCKHI.
  const auto special_register = (layout == CodeLayout::volta ? word.high >> 8 : word.low >> 20) & 0xff;
  return special_register == 0x50 || special_register == 0x51;
}

bool discards_clock(CodeLayout layout, const InstructionWord& word) {
  constexpr std::uint64_t zero_register = 0xff;
  return layout == CodeLayout::maxwell && reads_clock(layout, word) && (word.low & 0xff) == zero_register;
}

bool changes_control_flow(std::string_view text) { return has(opcode_of(text), Trait::leaves); }

std::string_view opcode_of(std::string_view text) {
  if (!text.empty() && text.front() == '@') {
    const auto space = text.find(' ');
    if (space == std::string_view::npos) return {};
    text.remove_prefix(space + 1);
  }
  return text.substr(0, text.find(' '));
}

}  // namespace ptxlat::sass
