// SPDX-License-Identifier: Apache-2.0
#include "sass/results.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "sass/opcodes.h"

namespace ptxlat::sass {

int matrix_registers(std::string_view opcode) {
  if (!opcode.substr(0, opcode.find('.')).ends_with("MMA") || opcode.substr(1).starts_with("GMMA")) return 0;
  const bool is_sparse = opcode.substr(opcode.find('.') + 1).starts_with("SP.");
  const auto shape = opcode.substr(opcode.find('.') + (is_sparse ? 4 : 1));
  if (opcode.starts_with("DMMA")) return shape.starts_with("16") ? 8 : 4;
  const bool is_half = opcode.find(".F16") != std::string_view::npos && opcode.find(".F32") == std::string_view::npos;
  return is_half || shape.starts_with("88") ? 2 : 4;
}

bool reads_texture(std::string_view opcode) {
  constexpr std::array<std::string_view, 4> families = {"TEX", "TLD", "TLD4", "TXD"};
  return std::find(families.begin(), families.end(), family_of(opcode)) != families.end();
}

namespace {

bool has_width(std::string_view opcode, std::string_view bits) {
  const auto at = opcode.find(bits);
  return at != std::string_view::npos && (at + bits.size() == opcode.size() || opcode[at + bits.size()] == '.');
}

int registers_of_result(std::string_view opcode) {
  if (has(opcode, Trait::loads)) return access_bytes(opcode) / 4;
  if (family_of(opcode) == "SULD") return has_width(opcode, ".128") ? 4 : has_width(opcode, ".64") ? 2 : 1;
  return matrix_registers(opcode);
}

// The general registers that are the first two operands: of a texture's components, the first two are in the pair of
// the first, and the last two in that of the second. A mask may leave some out.
std::vector<int> first_two_operands(std::string_view text) {
  std::vector<int> numbers;
  const auto opcode = opcode_of(text);
  auto rest = text.substr(static_cast<std::size_t>(opcode.data() - text.data()) + opcode.size());
  for (int operand = 0; operand < 2; ++operand) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" ,"), rest.size()));
    int number = 0;
    if (rest.starts_with('R') && std::from_chars(rest.data() + 1, rest.data() + rest.size(), number).ec == std::errc{})
      numbers.push_back(number);
    rest.remove_prefix(std::min(rest.find(','), rest.size()));
  }
  return numbers;
}

}  // namespace

std::vector<Register> results_of(std::string_view text) {
  auto writes = register_use(text).writes;
  const auto opcode = opcode_of(text);
  const auto add = [&](int first, int registers) {
    for (int i = 0; i < registers; ++i) {
      const Register one{RegisterFile::general, first + i};
      if (std::find(writes.begin(), writes.end(), one) == writes.end()) writes.push_back(one);
    }
  };
  if (reads_texture(opcode)) {
    for (const int number : first_two_operands(text)) add(number, 2);
    return writes;
  }
  const auto is_general = [](const Register& reg) { return reg.file == RegisterFile::general; };
  const auto first = std::find_if(writes.begin(), writes.end(), is_general);
  if (first != writes.end()) add(first->number, registers_of_result(opcode));
  return writes;
}

}  // namespace ptxlat::sass
