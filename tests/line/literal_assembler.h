// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "line/kernel_assembler.h"
#include "sass/disassembler.h"
#include "tiny_cubin.h"

namespace ptxlat {

// Stands in for ptxas where a test must know the machine code beforehand: each "x" of a window becomes an IADD3 of four
// cycles, each "mov" a LOP3 of five, and nothing else is between the clocks. Other texts are other operand loads.
class LiteralAssembler : public line::KernelAssembler {
 public:
  static constexpr unsigned load = 0x981, op = 0x210, second_op = 0x211, consumer = 0x212;
  std::vector<std::string>* names = nullptr;  // of all that it was given

  // At level 2 the windows of kernels with this beginning of a name have an instruction more.
  std::string longer_at_2;
  // Changes the code of a kernel of this name and text.
  std::function<void(const std::string& name, const std::string& text, standin::Code& code)> change;

  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int level) override {
    std::vector<std::pair<std::string, standin::Code>> code;
    assemble::BatchOutcome outcome;
    for (const auto& [name, kernel] : kernels) {
      if (names != nullptr) names->push_back(name);
      code.emplace_back(name, code_of(*kernel));
      if (change) change(name, kernel->text, code.back().second);
      if (level == 2 && !longer_at_2.empty() && name.starts_with(longer_at_2))
        code.back().second.insert(code.back().second.end() - 1, standin::op(op, 4));
      outcome.kernels.push_back({0, name, {}});
    }
    outcome.cubins.push_back(standin::tiny_cubin(code));
    return outcome;
  }

 private:
  static standin::Code code_of(const ptx::Kernel& kernel) {
    constexpr std::string_view first = "mov.u32 %clock_1, %clock;", second = "mov.u32 %clock_2, %clock;";
    standin::Code code(kernel.operand_loads.size(), standin::op(load, 2));
    code.push_back(standin::read_clock(1));
    const std::string_view text = kernel.text;
    auto at = text.find(first) + first.size();
    const auto end = text.find(second);
    while (at < end) {
      const auto stop = std::min(text.find('\n', at), end);
      const auto start = text.find_first_not_of(' ', at);
      const auto line = text.substr(std::min(start, stop), stop - std::min(start, stop));
      if (line.starts_with("x ") || line.starts_with("x.")) code.push_back(standin::op(op, 4));
      if (line.starts_with("mov")) code.push_back(standin::op(consumer, 5));
      at = stop + 1;
    }
    code.push_back(standin::read_clock(1));
    return code;
  }
};

// Knows the instructions that LiteralAssembler makes.
class LiteralDisassembler : public sass::Disassembler {
 public:
  void disassemble(int /*sm*/, const std::vector<sass::Instruction*>& instructions) override {
    for (auto* instruction : instructions) {
      switch (instruction->word.low & 0xfff) {
        case LiteralAssembler::load:
          instruction->text = "LDG.E.STRONG.SYS R3, desc[UR4][R6.64]";
          break;
        case LiteralAssembler::op:
          instruction->text = "IADD3 R3, R3, R5, RZ";
          break;
        case LiteralAssembler::second_op:
          instruction->text = "IADD3 R5, R5, R7, RZ";
          break;
        case LiteralAssembler::consumer:
          instruction->text = "LOP3.LUT R9, R3, R5, RZ, 0x3c, !PT";
          break;
        default:
          instruction->text = "CS2R.32 R8, SR_CLOCKLO";
      }
    }
  }
};

}  // namespace ptxlat
