// SPDX-License-Identifier: Apache-2.0
#include "sass/results.h"

#include <algorithm>
#include <array>

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

int registers_of_result(std::string_view opcode) {
  if (has(opcode, Trait::loads) || family_of(opcode) == "SULD") return named_bytes(opcode) / 4;
  // The first two of a texture's four components.
  return reads_texture(opcode) ? 2 : matrix_registers(opcode);
}

}  // namespace

std::vector<Register> results_of(std::string_view text) {
  const auto use = register_use(text);
  const auto opcode = opcode_of(text);
  auto results = use.writes;
  const auto add = [&](int first, int registers) {
    for (int i = 0; i < registers; ++i) {
      const Register one{RegisterFile::general, first + i};
      if (std::find(results.begin(), results.end(), one) == results.end()) results.push_back(one);
    }
  };
  const auto first = std::find_if(use.writes.begin(), use.writes.end(),
                                  [](const Register& reg) { return reg.file == RegisterFile::general; });
  if (first != use.writes.end()) add(first->number, registers_of_result(opcode));
  if (!reads_texture(opcode)) return results;
  // The last two are in the second result, which is taken for the first source.
  for (const auto& one : use.reads) {
    if (slot_of(text, one) == "a") add(one.number, 2);
  }
  return results;
}

namespace {

// Before Volta, nvdisasm shows none.
bool calls_by_address(CodeLayout layout, const InstructionWord& word) {
  constexpr int call_absolute = 0x343, call_relative = 0x344;  // to the address in a register
  const int opcode = opcode_field(layout, word);
  return layout == CodeLayout::volta && (opcode == call_absolute || opcode == call_relative);
}

}  // namespace

std::set<std::string> kernels_that_call_by_address(const std::vector<KernelCode>& kernels) {
  std::set<std::string> names;
  for (const auto& kernel : kernels) {
    const bool calls = std::any_of(kernel.words.begin(), kernel.words.end(),
                                   [&](const auto& word) { return calls_by_address(kernel.layout, word); });
    if (calls) names.insert(kernel.name);
  }
  return names;
}

}  // namespace ptxlat::sass
