// SPDX-License-Identifier: Apache-2.0
#include "sass/path.h"

#include <algorithm>
#include <map>
#include <set>

#include "sass/audit_parts.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

// "R6" from "IMAD.HI.U32 R4, R2, R3, R6", but not "RZ".
bool has_register_last(const std::string& text) {
  const auto comma = text.rfind(", ");
  return comma != std::string::npos && comma + 3 < text.size() && text[comma + 2] == 'R' && text[comma + 3] != 'Z';
}

bool reads_any(const Instruction& instruction, const RegisterUse& use, const std::set<Register>& registers) {
  const auto is_one = [&](const Register& reg) { return registers.contains(reg); };
  if (std::any_of(use.reads.begin(), use.reads.end(), is_one)) return true;
  const auto opcode = opcode_of(instruction.text);
  // In a wide product, only the addend, the last operand, is a pair; otherwise the neighbour of a register is
  // unrelated.
  const bool is_product = opcode.starts_with("IMAD.WIDE") || opcode.starts_with("IMAD.HI");
  if (is_product) return has_register_last(instruction.text) && !use.may_read.empty() && is_one(use.may_read.back());
  return has(opcode, Trait::wide_sources) && std::any_of(use.may_read.begin(), use.may_read.end(), is_one);
}

// Registers whose values depend on the operand, followed instruction by instruction.
struct Dependents {
  std::set<Register> registers;

  // Whether the instruction depends on it.
  bool follow(const Instruction& instruction, bool brings_operand) {
    const auto use = register_use(instruction.text);
    const bool depends = brings_operand || reads_any(instruction, use, registers);
    for (const auto& reg : use.writes) {
      if (depends) {
        registers.insert(reg);
      } else if (!use.is_predicated) {
        registers.erase(reg);
      }
    }
    return depends;
  }
};

// Everything that the consumer needs, including itself.
std::vector<bool> needed_by(const Window& window, const std::vector<bool>& consumer) {
  const auto& code = window.instructions;
  std::vector<bool> needed(code.size(), false);
  std::set<Register> live;
  for (std::size_t i = code.size() - 1; i-- > 1;) {
    const auto use = register_use(code[i].text);
    const bool makes_live =
        std::any_of(use.writes.begin(), use.writes.end(), [&](const Register& reg) { return live.contains(reg); });
    if (!consumer[i] && !makes_live) continue;
    needed[i] = true;
    if (!use.is_predicated) {
      for (const auto& reg : use.writes) live.erase(reg);
    }
    live.insert(use.reads.begin(), use.reads.end());
    live.insert(use.may_read.begin(), use.may_read.end());
  }
  return needed;
}

bool does_no_work(const std::string& opcode) {
  return has(opcode, Trait::bookkeeping) || canonical_opcode(opcode) == "MOV";
}

std::map<std::string, int> operations(const std::vector<std::string>& opcodes) {
  std::map<std::string, int> counts;
  for (const auto& opcode : opcodes) {
    if (!does_no_work(opcode)) ++counts[operation_of(opcode)];
  }
  return counts;
}

}  // namespace

std::optional<std::vector<std::string>> path_opcodes(const Window& window, const Window& base, int operand_loads,
                                                     const std::vector<int>& loads, Moves moves) {
  const auto& code = window.instructions;
  if (code.size() < 2) return std::nullopt;
  if (std::any_of(code.begin(), code.end(), [](const Instruction& i) { return changes_control_flow(i.text); }))
    return std::nullopt;
  Dependents dependents;
  int load = 0;
  for (const auto& instruction : window.prologue) {
    const bool is_load = has(opcode_of(instruction.text), Trait::loads_operand);
    const bool brings_operand = is_load && std::find(loads.begin(), loads.end(), load) != loads.end();
    if (is_load) ++load;
    dependents.follow(instruction, brings_operand);
  }
  if (load != operand_loads) return std::nullopt;
  const auto [consumer, changed] = find_consumer(window, base);
  if (!changed.empty()) return std::nullopt;
  const auto needed = needed_by(window, consumer);
  std::vector<std::string> on_path;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const bool depends = dependents.follow(code[i], false);
    const bool is_wanted = moves == Moves::with || !does_no_work(std::string(opcode_of(code[i].text)));
    if (depends && needed[i] && !consumer[i] && is_wanted) on_path.emplace_back(opcode_of(code[i].text));
  }
  return on_path;
}

std::vector<std::string> added_opcodes(const Window& window, const Window& base) {
  auto added = opcodes(window);
  remove_from_end(added, opcodes(base));
  return added;
}

bool same_opcodes(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  const auto sorted = [](std::vector<std::string> opcodes) {
    std::erase_if(opcodes, does_no_work);
    std::sort(opcodes.begin(), opcodes.end());
    return opcodes;
  };
  return sorted(one) == sorted(other);
}

bool same_operations(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  return operations(one) == operations(other);
}

bool has_operations(const std::vector<std::string>& whole, const std::vector<std::string>& part) {
  const auto all = operations(whole);
  const auto wanted = operations(part);
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const auto found = all.find(entry.first);
    return found != all.end() && found->second >= entry.second;
  });
}

}  // namespace ptxlat::sass
