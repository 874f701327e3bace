// SPDX-License-Identifier: Apache-2.0
#include "sass/results.h"

#include <algorithm>

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

std::vector<Register> results_of(std::string_view text) {
  auto writes = register_use(text).writes;
  const auto opcode = opcode_of(text);
  const int registers = has(opcode, Trait::loads) ? access_bytes(opcode) / 4 : matrix_registers(opcode);
  const auto is_general = [](const Register& reg) { return reg.file == RegisterFile::general; };
  const auto first = std::find_if(writes.begin(), writes.end(), is_general);
  if (first == writes.end()) return writes;
  const int number = first->number;
  for (int i = 0; i < registers; ++i) {
    const Register one{RegisterFile::general, number + i};
    if (std::find(writes.begin(), writes.end(), one) == writes.end()) writes.push_back(one);
  }
  return writes;
}

}  // namespace ptxlat::sass
