// SPDX-License-Identifier: Apache-2.0
#include "sass/path.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "sass/audit_parts.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"
#include "sass/results.h"

namespace ptxlat::sass {

namespace {

bool reads_any(const Instruction& instruction, const std::set<Register>& registers) {
  const auto read = sources_of(instruction.text);
  return std::any_of(read.begin(), read.end(), [&](const Register& reg) { return registers.contains(reg); });
}

// Registers whose values depend on the operand, followed instruction by instruction.
struct Dependents {
  std::set<Register> registers;

  // Whether the instruction depends on it.
  bool follow(const Instruction& instruction, bool brings_operand) {
    const bool depends = brings_operand || reads_any(instruction, registers);
    const bool is_predicated = register_use(instruction.text).is_predicated;
    for (const auto& reg : results_of(instruction.text)) {
      if (depends) {
        registers.insert(reg);
      } else if (!is_predicated) {
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
    const auto results = results_of(code[i].text), sources = sources_of(code[i].text);
    const bool makes_live =
        std::any_of(results.begin(), results.end(), [&](const Register& reg) { return live.contains(reg); });
    if (!consumer[i] && !makes_live) continue;
    needed[i] = true;
    if (!use.is_predicated) {
      for (const auto& reg : results) live.erase(reg);
    }
    live.insert(sources.begin(), sources.end());
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

// The place of "LDG.E.STRONG.SYS R3, desc[UR4][R6.64+0x8]" in the thread's slot: 8.
int offset_in_slot(const Instruction& load) {
  const auto plus = load.text.rfind("+0x");
  int offset = 0;
  if (plus != std::string::npos)
    std::from_chars(load.text.data() + plus + 3, load.text.data() + load.text.size(), offset, 16);
  return offset;
}

// The loads of operands before the window: those in a row that begin at the thread's slot. Others load what is prepared
// once. Empty if they are not there.
std::optional<std::vector<const Instruction*>> loads_before(const Window& window, int operand_loads) {
  std::vector<const Instruction*> loads;
  for (const auto& instruction : window.prologue) {
    if (has(opcode_of(instruction.text), Trait::loads_operand)) loads.push_back(&instruction);
  }
  if (std::cmp_equal(loads.size(), operand_loads)) return loads;
  if (std::cmp_less(loads.size(), operand_loads) || operand_loads == 0) return std::nullopt;
  const auto is_before = [](const Instruction* one, const Instruction* other) {
    return offset_in_slot(*one) < offset_in_slot(*other);
  };
  for (auto first = loads.end() - operand_loads;; --first) {
    if (offset_in_slot(**first) == 0 && std::is_sorted(first, first + operand_loads, is_before))
      return std::vector(first, first + operand_loads);
    if (first == loads.begin()) return std::nullopt;
  }
}

// What depends on the operand when the window begins. Empty if the window branches, or if the loads before it are not
// those that are expected.
std::optional<Dependents> before_window(const Window& window, int operand_loads, const std::vector<int>& loads) {
  const auto& code = window.instructions;
  if (code.size() < 2) return std::nullopt;
  if (std::any_of(code.begin(), code.end(), [](const Instruction& i) { return changes_control_flow(i.text); }))
    return std::nullopt;
  const auto found = loads_before(window, operand_loads);
  if (!found) return std::nullopt;
  std::set<const Instruction*> bringing;
  for (const int load : loads) {
    if (std::cmp_less(load, found->size())) bringing.insert((*found)[static_cast<std::size_t>(load)]);
  }
  Dependents dependents;
  for (const auto& instruction : window.prologue) dependents.follow(instruction, bringing.contains(&instruction));
  return dependents;
}

// What an instruction between the clocks is to an operand and the consumer.
enum class Part { not_needed, consumer, on_path, beside };

// It can hold others up only by the time that it takes to issue: it works on registers and waits for nothing.
bool works_on_registers(const Instruction& instruction) {
  return !register_use(instruction.text).writes.empty() && instruction.text.find('[') == std::string::npos &&
         !has(opcode_of(instruction.text), Trait::bookkeeping | Trait::skeleton | Trait::waits);
}

// One for each of window.instructions; the clock reads are not needed. The code for another result of the instruction
// is beside the path.
std::optional<std::vector<Part>> parts_of(const Window& window, const Window& base, int operand_loads,
                                          const std::vector<int>& loads) {
  const auto& code = window.instructions;
  auto before = before_window(window, operand_loads, loads);
  if (!before) return std::nullopt;
  auto& dependents = *before;
  const auto [consumer, changed] = find_consumer(window, base);
  if (!changed.empty()) return std::nullopt;
  const auto needed = needed_by(window, consumer);
  const auto copies = clock_copies(window);
  std::vector<Part> parts(code.size(), Part::not_needed);
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const bool depends = dependents.follow(code[i], false);
    if (consumer[i]) {
      parts[i] = Part::consumer;
    } else if (needed[i]) {
      parts[i] = depends ? Part::on_path : Part::beside;
    } else if (!copies[i] && works_on_registers(code[i])) {
      parts[i] = Part::beside;
    }
  }
  return parts;
}

}  // namespace

std::optional<std::vector<std::string>> path_opcodes(const Window& window, const Window& base, int operand_loads,
                                                     const std::vector<int>& loads) {
  const auto parts = parts_of(window, base, operand_loads, loads);
  if (!parts) return std::nullopt;
  std::vector<std::string> on_path;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const std::string opcode(opcode_of(window.instructions[i].text));
    if ((*parts)[i] == Part::on_path && !does_no_work(opcode)) on_path.push_back(opcode);
  }
  return on_path;
}

std::vector<std::vector<std::size_t>> producers_in(const Window& window) {
  const auto& code = window.instructions;
  std::vector<std::vector<std::size_t>> producers(code.size());
  std::map<Register, std::vector<std::size_t>> writers;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    for (const auto& reg : sources_of(code[i].text)) {
      const auto found = writers.find(reg);
      if (found != writers.end()) producers[i].insert(producers[i].end(), found->second.begin(), found->second.end());
    }
    const bool is_predicated = register_use(code[i].text).is_predicated;
    for (const auto& reg : results_of(code[i].text)) {
      if (!is_predicated) writers[reg].clear();
      writers[reg].push_back(i);
    }
  }
  return producers;
}

namespace {

// Cycles from one instruction to another, by the schedule.
int distance(const Window& window, std::size_t from, std::size_t to) {
  int cycles = 0;
  for (auto i = from; i < to; ++i) cycles += window.instructions[i].control.stall_count;
  return cycles;
}

// The latency of a pair of opcodes, where the window has them next to each other.
std::optional<int> latency_of_neighbours(const Window& window, const std::vector<std::vector<std::size_t>>& producers,
                                         std::size_t producer, std::size_t consumer) {
  const auto& code = window.instructions;
  std::optional<int> latency;
  for (std::size_t i = 2; i + 1 < code.size(); ++i) {
    const bool are_next = std::find(producers[i].begin(), producers[i].end(), i - 1) != producers[i].end();
    if (!are_next || opcode_of(code[i - 1].text) != opcode_of(code[producer].text) ||
        opcode_of(code[i].text) != opcode_of(code[consumer].text))
      continue;
    latency = std::min(latency.value_or(16), code[i - 1].control.stall_count);
  }
  return latency;
}

// How long the path alone takes from its first instruction to the consumer. Empty if what is among it cannot be told
// from it.
std::optional<int> cycles_of_path(const Window& window, const std::vector<Part>& parts) {
  const auto producers = producers_in(window);
  const auto is_beside_between = [&](std::size_t from, std::size_t to) {
    return std::find(parts.begin() + static_cast<std::ptrdiff_t>(from), parts.begin() + static_cast<std::ptrdiff_t>(to),
                     Part::beside) != parts.begin() + static_cast<std::ptrdiff_t>(to);
  };
  std::vector<int> begins(parts.size(), 0);  // cycles from the operand's arrival until it can issue
  int longest = 0;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    if (parts[i] != Part::on_path && parts[i] != Part::consumer) continue;
    for (const auto producer : producers[i]) {
      if (parts[producer] != Part::on_path) continue;
      auto latency = std::optional(distance(window, producer, i));
      if (is_beside_between(producer, i)) latency = latency_of_neighbours(window, producers, producer, i);
      if (!latency) return std::nullopt;
      begins[i] = std::max(begins[i], begins[producer] + *latency);
    }
    if (parts[i] == Part::consumer) longest = std::max(longest, begins[i]);
  }
  return longest;
}

}  // namespace

std::optional<OperandPath> operand_path(const Window& window, const Window& base, int operand_loads,
                                        const std::vector<int>& loads) {
  const auto parts = parts_of(window, base, operand_loads, loads);
  if (!parts) return std::nullopt;
  const auto place_of = [&](Part part) {
    return static_cast<std::size_t>(std::find(parts->begin(), parts->end(), part) - parts->begin());
  };
  const auto first = place_of(Part::on_path), consumer = place_of(Part::consumer);
  if (first == parts->size() || consumer == parts->size()) return std::nullopt;
  OperandPath path;
  for (std::size_t i = 1; i < parts->size(); ++i) {
    const auto opcode = opcode_of(window.instructions[i].text);
    if ((*parts)[i] == Part::on_path) path.opcodes.emplace_back(opcode);
    if ((*parts)[i] == Part::beside) (i < first ? path.before : path.among).emplace_back(opcode);
  }
  if (!path.before.empty()) path.cycles_beside = distance(window, 1, first);
  if (path.among.empty()) return path;
  const auto alone = cycles_of_path(window, *parts);
  path.is_separable = alone.has_value();
  if (alone) path.cycles_beside += std::max(0, distance(window, first, consumer) - *alone);
  return path;
}

std::optional<bool> reaches_result(const Window& window, int operand_loads, const std::vector<int>& loads) {
  auto dependents = before_window(window, operand_loads, loads);
  if (!dependents) return std::nullopt;
  const auto is_stored = live_results(window);
  bool reaches = false;
  for (std::size_t i = 1; i + 1 < window.instructions.size(); ++i) {
    const bool depends = dependents->follow(window.instructions[i], false);
    reaches = reaches || (depends && is_stored[i]);
  }
  return reaches;
}

int longest_dependence(const Window& window) {
  const auto producers = producers_in(window);
  std::vector<int> lengths(producers.size(), 0);
  for (std::size_t i = 1; i + 1 < producers.size(); ++i) {
    for (const auto producer : producers[i]) lengths[i] = std::max(lengths[i], lengths[producer]);
    ++lengths[i];
  }
  return *std::max_element(lengths.begin(), lengths.end());
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
