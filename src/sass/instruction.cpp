#include "sass/instruction.h"

#include <algorithm>

namespace ptxlat {

namespace {

// Opcode fields read in cubins of ptxas 11.8 and 13.0 (method.md, section 5).
constexpr int opcode_cs2r = 0x805, opcode_s2r = 0x919, opcode_s2ur = 0x9c3, opcode_cs2ur = 0x8cb;

}  // namespace

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

bool reads_clock(const InstructionWord& word) {
  const int opcode = opcode_field(word);
  if (opcode != opcode_cs2r && opcode != opcode_s2r && opcode != opcode_s2ur && opcode != opcode_cs2ur) return false;
  // The special register's number sits in bits 72-79: 0x50 is SR_CLOCKLO, 0x51 SR_CLOCKHI.
  const auto special_register = (word.high >> 8) & 0xff;
  return special_register == 0x50 || special_register == 0x51;
}

bool changes_control_flow(std::string_view text) {
  return starts_with_any(opcode_of(text), {"BRA", "BRX", "JMP", "JMX", "CALL", "RET", "EXIT", "KILL", "BREAK"});
}

bool starts_with_any(std::string_view opcode, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return opcode.starts_with(name); });
}

std::string_view opcode_of(std::string_view text) {
  if (!text.empty() && text.front() == '@') {
    const auto space = text.find(' ');
    if (space == std::string_view::npos) return {};
    text.remove_prefix(space + 1);
  }
  return text.substr(0, text.find(' '));
}

}  // namespace ptxlat
