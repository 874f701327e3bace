#include "sass/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "sass/dataflow.h"

namespace ptxlat {

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// Keeps control flow and warps together and computes nothing.
bool is_control(std::string_view opcode) {
  return starts_with_any(opcode, {"BSSY", "BSYNC", "NOP", "BRA", "CALL", "RET", "WARPSYNC", "YIELD", "ENDCOLLECTIVE", "BREAK"});
}

// What the skeleton does around the window and must not do inside.
bool belongs_to_the_skeleton(const Instruction& instruction) {
  const auto opcode = opcode_of(instruction.text);
  if (starts_with_any(opcode, {"LDG", "STG", "LD.", "ST.", "S2R", "S2UR", "CS2UR", "BAR"})) return true;
  // Kernel parameters live in constant bank 0; constants of the instruction itself are in others.
  return starts_with_any(opcode, {"LDC", "ULDC"}) && instruction.text.find("c[0x0]") != std::string::npos;
}

// A value that comes from memory or is the same in every run: what an operand may be before the first clock.
bool provides_operand(const Instruction& writer) {
  const auto opcode = opcode_of(writer.text);
  if (starts_with_any(opcode, {"LDG", "LD.", "MOV", "UMOV", "IMAD.MOV", "LDC", "ULDC", "CS2R", "R2UR"})) return true;
  // ptxas makes constants with multiplications by zero.
  if (starts_with_any(opcode, {"HFMA2", "IMAD", "FADD", "FFMA"})) return register_use(writer.text).reads.empty();
  // A 16-bit operand may be one half of a loaded register.
  return starts_with_any(opcode, {"PRMT"});
}

bool is_predicate(int reg) { return (reg >= 256 && reg < 512) || reg >= 768; }

std::string describe(const Instruction& instruction) { return fmt::format("{:04x} {}", instruction.offset, instruction.text); }

// An instruction that waits on a scoreboard which nothing in the window set waits for the skeleton (method.md, trap 9).
std::string foreign_wait(const Window& window) {
  int held_by_others = pending_scoreboards(window);
  const auto& code = window.instructions;
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (changes_control_flow(code[i].text)) return {};  // a subroutine sets scoreboards of its own
    const auto& control = code[i].control;
    if (const int foreign = control.wait_mask & held_by_others; foreign != 0) {
      return fmt::format("waits on a scoreboard (mask {:#x}) that nothing in the window set: {}", foreign, describe(code[i]));
    }
    held_by_others &= ~scoreboards_set(control);
  }
  return {};
}

// A copy of something that the slice reads or writes: -O0 leaves such behind, and they are the instruction's own.
bool is_dead_copy(const Instruction& instruction, const std::set<int>& registers) {
  if (!opcode_of(instruction.text).starts_with("MOV")) return false;
  const auto reads = register_use(instruction.text).reads;
  return reads.size() == 1 && registers.contains(reads.front());
}

// Everything between the clocks must feed the value that leaves the window, steer control flow, or copy the clock.
std::string foreign_instruction(const Window& window, const std::vector<bool>& slice) {
  const auto copies = clock_copies(window);
  const auto& code = window.instructions;
  std::set<int> registers;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (!slice[i]) continue;
    const auto use = register_use(code[i].text);
    registers.insert(use.reads.begin(), use.reads.end());
    registers.insert(use.writes.begin(), use.writes.end());
  }
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (belongs_to_the_skeleton(code[i])) return "belongs to the skeleton: " + describe(code[i]);
    if (!slice[i] && !copies[i] && !is_control(opcode_of(code[i].text)) && !is_dead_copy(code[i], registers)) {
      return "feeds nothing that the window measures: " + describe(code[i]);
    }
  }
  return {};
}

// The last instruction before the first clock that writes `reg`.
const Instruction* last_writer(const Window& window, int reg) {
  for (auto it = window.prologue.rbegin(); it != window.prologue.rend(); ++it) {
    const auto writes = register_use(it->text).writes;
    if (std::find(writes.begin(), writes.end(), reg) != writes.end()) return &*it;
  }
  return nullptr;
}

// A register that the window reads and that was computed, not loaded, in front of the first clock: a part of the instruction has been
// hoisted out of the window (method.md, trap 6). Predicate operands are compared in front of the window by the skeleton itself.
std::string hoisted_part(const Window& window, const std::vector<bool>& slice) {
  std::set<int> written;
  const auto& code = window.instructions;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (!slice[i]) continue;
    const auto use = register_use(code[i].text);
    for (const int reg : use.reads) {
      if (written.contains(reg)) continue;
      const auto* writer = last_writer(window, reg);
      if (writer == nullptr || provides_operand(*writer)) continue;
      const bool is_predicate_operand = is_predicate(reg) && starts_with_any(opcode_of(writer->text), {"ISETP", "PLOP3", "IADD3", "R2P", "LOP3"});
      if (!is_predicate_operand) return "computed before the first clock: " + describe(*writer);
    }
    for (const int reg : use.writes) written.insert(reg);
  }
  return {};
}

// Opcodes between the clocks, clock copies left out.
std::vector<std::string> opcodes(const Window& window) {
  const auto copies = clock_copies(window);
  std::vector<std::string> names;
  for (std::size_t i = 1; i + 1 < window.instructions.size(); ++i) {
    if (!copies[i]) names.emplace_back(opcode_of(window.instructions[i].text));
  }
  return names;
}

bool runs_uniform(const std::string& opcode) {
  return opcode.starts_with("U") && !starts_with_any(opcode, {"UMOV", "ULDC"});
}

// Checks that hold for every window whose result leaves it.
Audit audit_flow(const Window& window) {
  const auto slice = backward_slice(window);
  if (auto reason = foreign_wait(window); !reason.empty()) return {Verdict::contaminated, reason, {}};
  if (auto reason = foreign_instruction(window, slice); !reason.empty()) return {Verdict::contaminated, reason, {}};
  if (auto reason = hoisted_part(window, slice); !reason.empty()) return {Verdict::elided, reason, {}};
  return {};
}

// Removes `part` from `whole`, matching from the end, where the consumer stands. Returns the canonical names that were not found.
std::vector<std::string> remove_from_end(std::vector<std::string>& whole, const std::vector<std::string>& part) {
  std::vector<std::string> missing;
  for (auto name = part.rbegin(); name != part.rend(); ++name) {
    const auto canonical = canonical_opcode(*name);
    const auto found = std::find_if(whole.rbegin(), whole.rend(), [&](const std::string& o) { return canonical_opcode(o) == canonical; });
    if (found == whole.rend()) {
      missing.push_back(canonical);
    } else {
      whole.erase(std::next(found).base());
    }
  }
  return missing;
}

}  // namespace

std::string canonical_opcode(std::string_view opcode) {
  static const std::map<std::string_view, std::string_view> names = {
      {"IMAD.IADD", "IADD3"}, {"VIADD", "IADD3"},         {"IADD", "IADD3"},           {"IMAD.MOV.U32", "MOV"},
      {"IMAD.MOV", "MOV"},    {"IMAD.SHL.U32", "SHF.L.U32"}, {"IMAD.SHL", "SHF.L.U32"}, {"HFMA2.MMA", "HFMA2"},
      {"IMNMX", "VIMNMX"},
  };
  const auto found = names.find(opcode);
  return std::string(found == names.end() ? opcode : found->second);
}

Audit audit_base(const Window& base) {
  Audit audit = audit_flow(base);
  if (audit.is_proven() && opcodes(base).empty()) audit = {Verdict::elided, "the consumer is not between the clocks", {}};
  return audit;
}

Audit audit_differential(const Window& window, const Window& base) {
  Audit audit = audit_flow(window);
  auto mine = opcodes(window);
  const auto missing = remove_from_end(mine, opcodes(base));
  std::erase_if(mine, [](const std::string& opcode) { return is_control(opcode) && !opcode.starts_with("CALL") && !opcode.starts_with("BRA"); });
  audit.sass = mine;
  if (!audit.is_proven()) return audit;
  for (const auto& name : missing) {
    if (name == "MOV" || is_control(name)) continue;
    return {Verdict::fused, fmt::format("the consumer's {} is gone: it became one instruction with the one under test", name), mine};
  }
  if (mine.empty()) return {Verdict::elided, "nothing is between the clocks but the consumer", {}};
  if (const auto uniform = std::find_if(mine.begin(), mine.end(), runs_uniform); uniform != mine.end()) {
    return {Verdict::contaminated, *uniform + " runs on the uniform datapath", mine};
  }
  return audit;
}

Audit audit_bracket(const Window& window, const std::vector<std::string>& sass) {
  Audit audit;
  audit.sass = opcodes(window);
  if (auto reason = foreign_wait(window); !reason.empty()) return {Verdict::contaminated, reason, audit.sass};
  if (audit.sass.empty()) return {Verdict::elided, "nothing is between the clocks", {}};
  auto rest = audit.sass;
  std::vector<std::string> expected = sass;
  if (const auto missing = remove_from_end(rest, expected); !missing.empty()) {
    return {Verdict::elided, fmt::format("not between the clocks: {}", fmt::join(missing, ";")), audit.sass};
  }
  std::erase_if(rest, [](const std::string& opcode) { return is_control(opcode) || opcode == "MOV"; });
  if (!sass.empty() && !rest.empty()) {
    return {Verdict::contaminated, fmt::format("more between the clocks than the instruction: {}", fmt::join(rest, ";")), audit.sass};
  }
  return audit;
}

Audit audit_chain(const Window& shorter, const Window& longer, int steps, const std::vector<std::string>& sass) {
  for (const Window* window : {&shorter, &longer}) {
    if (Audit audit = audit_flow(*window); !audit.is_proven()) return audit;
  }
  auto added = opcodes(longer);
  const auto missing = remove_from_end(added, opcodes(shorter));
  if (std::any_of(missing.begin(), missing.end(), [](const std::string& name) { return name != "MOV"; })) {
    return {Verdict::contaminated, fmt::format("the shorter chain has {} and the longer has not", fmt::join(missing, ";")), {}};
  }
  const auto count = static_cast<int>(added.size());
  if (count == 0) return {Verdict::elided, "the chain folded: twice the steps make no more instructions", {}};
  if (count % steps != 0) {
    return {Verdict::fused, fmt::format("{} more steps make {} more instructions", steps, count), {}};
  }
  const auto per_step = static_cast<std::size_t>(count / steps);
  std::vector<std::string> step(added.end() - static_cast<std::ptrdiff_t>(per_step), added.end());
  if (per_step < sass.size()) {
    return {Verdict::fused, fmt::format("a step is {} instructions where the instruction alone is {}", per_step, sass.size()), step};
  }
  return {Verdict::proven, {}, step};
}

}  // namespace ptxlat
