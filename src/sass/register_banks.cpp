// SPDX-License-Identifier: Apache-2.0
#include "sass/register_banks.h"

#include <algorithm>
#include <array>
#include <set>

#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

// The registers that an instruction reads, each once. Sources of FP64 are pairs; other possible pairs are ignored.
std::set<int> registers_read(const Instruction& instruction) {
  const auto use = register_use(instruction.text);
  std::set<int> numbers;
  const auto add = [&](const std::vector<Register>& registers) {
    for (const auto& reg : registers) {
      if (reg.file == RegisterFile::general) numbers.insert(reg.number);
    }
  };
  add(use.reads);
  if (has(opcode_of(instruction.text), Trait::wide_sources)) add(use.may_read);
  return numbers;
}

}  // namespace

std::optional<int> reads_of_busiest_bank(const Window& window) {
  if (window.layout != CodeLayout::volta) return std::nullopt;
  std::array<int, 2> reads{};
  const auto& code = window.instructions;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const bool is_told = scoreboards_set(code[i].control) == 0 && code[i].text.find(".reuse") == std::string::npos;
    if (!is_told) return std::nullopt;
    for (const int number : registers_read(code[i])) ++reads[static_cast<std::size_t>(number % 2)];
  }
  return *std::max_element(reads.begin(), reads.end());
}

}  // namespace ptxlat::sass
