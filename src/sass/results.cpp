// SPDX-License-Identifier: Apache-2.0
#include "sass/results.h"

#include <algorithm>
#include <array>
#include <charconv>

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
  constexpr std::array<std::string_view, 5> families = {"TEX", "TLD", "TLD4", "TXD", "TXQ"};
  return std::find(families.begin(), families.end(), family_of(opcode)) != families.end();
}

namespace {

// 16 of ATOM.E.ADD.BF16x8, which has eight results of 16 bits; 0 if it has no vector.
int bytes_of_vector(std::string_view opcode) {
  for (auto at = opcode.find('x'); at != std::string_view::npos; at = opcode.find('x', at + 1)) {
    int count = 0;
    std::from_chars(opcode.data() + at + 1, opcode.data() + opcode.size(), count);
    const auto type = opcode.substr(0, at);
    if (count > 0 && type.ends_with("F16")) return 2 * count;
    if (count > 0 && type.ends_with("F32")) return 4 * count;
  }
  return 0;
}

int registers_of_result(std::string_view opcode) {
  if (is_atomic(opcode)) return bytes_of_vector(opcode) / 4;
  if (family_of(opcode) == "LDSM") return opcode.ends_with(".4") ? 4 : opcode.ends_with(".2") ? 2 : 1;
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

// The registers and the three behind each: as many as an operand of a matrix may have.
std::vector<Register> with_neighbours(const std::vector<Register>& registers) {
  std::vector<Register> all;
  for (const auto& reg : registers) {
    for (int i = 0; i < (is_predicate(reg.file) ? 1 : 4); ++i) all.push_back({reg.file, reg.number + i});
  }
  return all;
}

// "R6" from "IMAD.HI.U32 R4, R2, R3, R6", but not "RZ".
bool has_register_last(std::string_view text) {
  const auto comma = text.rfind(", ");
  return comma != std::string_view::npos && comma + 3 < text.size() && text[comma + 2] == 'R' && text[comma + 3] != 'Z';
}

}  // namespace

std::vector<Register> sources_of(std::string_view text) {
  const auto use = register_use(text);
  const auto opcode = opcode_of(text);
  if (names_first_registers(opcode)) return with_neighbours(use.reads);
  auto all = use.reads;
  // In a wide product, only the addend, the last operand, is a pair; otherwise the neighbour of a register is
  // unrelated.
  const bool is_product = opcode.starts_with("IMAD.WIDE") || opcode.starts_with("IMAD.HI");
  if (is_product) {
    if (has_register_last(text) && !use.may_read.empty()) all.push_back(use.may_read.back());
  } else if (has(opcode, Trait::wide_sources)) {
    all.insert(all.end(), use.may_read.begin(), use.may_read.end());
  }
  return all;
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
