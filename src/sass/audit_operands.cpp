// SPDX-License-Identifier: Apache-2.0

// Windows that contain work that a real kernel does once: bringing an operand to where the machine expects it.
#include <algorithm>
#include <set>

#include "sass/audit_parts.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

// The upper half of shared memory's generic addresses, which ptxas adds to each address in another CTA.
bool reads_shared_window(const Instruction& instruction) {
  return instruction.text.find("SR_SWINHI") != std::string::npos;
}

bool writes_uniform_register(const RegisterUse& use) {
  return std::any_of(use.writes.begin(), use.writes.end(),
                     [](const Register& r) { return r.file == RegisterFile::uniform; });
}

bool prepares(const Instruction& instruction, const RegisterUse& use) {
  return reads_shared_window(instruction) ||
         (fills_uniform_register(opcode_of(instruction.text)) && writes_uniform_register(use));
}

// The second register of an aligned pair.
Register beside(const Register& r) { return {r.file, r.number ^ 1}; }

}  // namespace

std::vector<const Instruction*> hoistable_preparations(const Window& window) {
  std::vector<const Instruction*> found;
  std::set<Register> made, literal, half_literal;
  const auto& code = window.instructions;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    auto use = register_use(code[i].text);
    // A guard determines whether the instruction runs, not its value.
    std::erase_if(use.reads, [](const Register& r) { return is_predicate(r.file); });
    const auto all_in = [&](const std::set<Register>& registers) {
      return std::all_of(use.reads.begin(), use.reads.end(), [&](const Register& r) { return registers.contains(r); });
    };
    const auto any_in = [&](const std::set<Register>& registers) {
      return std::any_of(use.reads.begin(), use.reads.end(), [&](const Register& r) { return registers.contains(r); });
    };
    const bool is_preparation = prepares(code[i], use);
    const bool is_of_registers =
        !reads_shared_window(code[i]) && !has(opcode_of(code[i].text), Trait::skeleton | Trait::constant);
    const bool is_literal = is_preparation && is_of_registers && all_in(literal);
    const bool is_hoistable = is_preparation && !is_literal && !any_in(made);
    if (is_hoistable) found.push_back(&code[i]);
    for (const auto& written : use.writes) {
      literal.erase(written);
      made.erase(written);
      if (is_literal) literal.insert(written), half_literal.insert(beside(written));
      if (!is_literal && !is_hoistable) made.insert(written);
    }
  }
  // An operand whose second half is a literal of the instruction cannot be in place before that half is.
  std::erase_if(found, [&](const Instruction* instruction) {
    const auto writes = register_use(instruction->text).writes;
    return opcode_of(instruction->text) == "UMOV" && writes.size() == 1 && half_literal.contains(writes.front());
  });
  return found;
}

}  // namespace ptxlat::sass
