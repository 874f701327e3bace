// SPDX-License-Identifier: Apache-2.0
#include "sass/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "sass/audit_parts.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

// Whether an instruction is one of the skeleton's, which must not be inside the window.
bool belongs_to_the_skeleton(const Instruction& instruction) {
  const auto opcode = opcode_of(instruction.text);
  if (has(opcode, Trait::skeleton)) return true;
  // Kernel parameters live in constant bank 0; constants of the instruction itself are in others.
  return has(opcode, Trait::constant) && instruction.text.find("c[0x0]") != std::string::npos;
}

// A value that comes from memory or is the same in every run: what an operand may be before the first clock.
bool writes_operand(const Instruction& writer) {
  const auto opcode = opcode_of(writer.text);
  return has(opcode, Trait::provides_operand) ||
         (has(opcode, Trait::makes_constant) && register_use(writer.text).reads.empty());
}

// An instruction that waits on a scoreboard which is still held from before waits for the skeleton (method.md, trap 9).
// If the window has also set it, the wait is for both: a scoreboard counts its holders.
std::string foreign_wait(const Window& window) {
  const int held_by_others = pending_scoreboards(window);
  const auto& code = window.instructions;
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (changes_control_flow(code[i].text)) return {};  // a subroutine sets its own scoreboards
    const auto& control = code[i].control;
    if (const int foreign = control.wait_mask & held_by_others; foreign != 0) {
      return fmt::format("waits on a scoreboard (mask {:#x}) that was held before the window: {}", foreign,
                         describe(code[i]));
    }
  }
  return {};
}

// The registers of an instruction that the disassembler does not know are not known either.
std::string unknown_in(const Window& window) {
  for (const auto& instruction : window.instructions) {
    if (instruction.text == unknown_instruction)
      return fmt::format("the disassembler does not know an instruction: {:04x}", instruction.offset);
  }
  return {};
}

// What of `opcodes` is left for other results than those of the slice.
std::vector<std::string> left_by(const std::vector<bool>& slice, const Window& window,
                                 std::vector<std::string> opcodes) {
  for (std::size_t i = 1; i + 1 < slice.size(); ++i) {
    if (slice[i]) remove_from_end(opcodes, {std::string(opcode_of(window.instructions[i].text))});
  }
  return opcodes;
}

// Everything between the clocks must feed the value that leaves the window, steer control flow, or copy the clock. What
// feeds nothing may be the code for another result: `alone`, as in Expectation.
std::string foreign_instruction(const Window& window, const std::vector<bool>& slice,
                                const std::vector<std::string>& alone) {
  auto others = left_by(slice, window, alone);
  const auto copies = clock_copies(window);
  const auto& code = window.instructions;
  // Without optimisation nothing moves, and dead code between the clocks is the instruction's own.
  const bool unoptimised = is_unoptimised(window);
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (belongs_to_the_skeleton(code[i])) return "belongs to the skeleton: " + describe(code[i]);
    const std::string opcode(opcode_of(code[i].text));
    if (!unoptimised && !slice[i] && !copies[i] && !has(opcode, Trait::bookkeeping) &&
        !remove_from_end(others, {opcode}).empty()) {
      return "feeds nothing that the window measures: " + describe(code[i]);
    }
  }
  return {};
}

// For each register, the last instruction before the first clock that writes it.
std::map<Register, const Instruction*> last_writers(const Window& window) {
  std::map<Register, const Instruction*> writers;
  for (const auto& instruction : window.prologue) {
    for (const auto& reg : register_use(instruction.text).writes) writers[reg] = &instruction;
  }
  return writers;
}

// What the slice reads of what was computed, not loaded, before the first clock: a part of the instruction has been
// hoisted out of the window (method.md, trap 6). The skeleton itself compares predicate operands before the window, and
// a uniform register holds an operand that was meant to be prepared.
std::vector<const Instruction*> hoisted_from(const Window& window, const std::vector<bool>& slice,
                                             bool operands_are_prepared) {
  std::set<Register> written, needed;
  const auto& code = window.instructions;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    // A subroutine's result was not computed before the window.
    if (has(opcode_of(code[i].text), Trait::calls)) break;
    if (!slice[i]) continue;
    const auto use = register_use(code[i].text);
    for (const auto& reg : use.reads) {
      if (!written.contains(reg) && !(operands_are_prepared && reg.file == RegisterFile::uniform)) needed.insert(reg);
    }
    written.insert(use.writes.begin(), use.writes.end());
  }
  std::vector<const Instruction*> hoisted;
  for (auto writer = window.prologue.rbegin(); writer != window.prologue.rend(); ++writer) {
    const auto use = register_use(writer->text);
    const auto is_needed = [&](const Register& reg) { return needed.contains(reg); };
    const auto found = std::find_if(use.writes.begin(), use.writes.end(), is_needed);
    if (found == use.writes.end()) continue;
    const bool is_predicate_operand = is_predicate(found->file) && has(opcode_of(writer->text), Trait::makes_predicate);
    for (const auto& reg : use.writes) needed.erase(reg);
    if (writes_operand(*writer) || is_predicate_operand) continue;
    hoisted.insert(hoisted.begin(), &*writer);
    needed.insert(use.reads.begin(), use.reads.end());
  }
  return hoisted;
}

// What an instruction without operands reads from before the first clock is its own work, hoisted out of the loop
// (method.md, trap 41), unless it is a literal, a copy of the consumer's operand, or the stack pointer, which is always
// in its register.
std::string hoisted_read(const Window& window, const std::vector<bool>& is_consumer) {
  constexpr Register stack_pointer{RegisterFile::general, 1};
  std::set<Register> written;
  const auto writers = last_writers(window);
  const auto copies = clock_copies(window);
  const auto& code = window.instructions;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (is_consumer[i] || copies[i]) continue;
    const auto use = register_use(code[i].text);
    for (const auto& reg : use.reads) {
      const auto found = writers.find(reg);
      if (found == writers.end() || written.contains(reg) || is_predicate(reg.file) || reg == stack_pointer) continue;
      const auto& writer = *found->second;
      const bool reads_nothing = register_use(writer.text).reads.empty();
      const bool is_literal = reads_nothing && !has(opcode_of(writer.text), Trait::skeleton | Trait::constant);
      const bool is_operand = !reads_nothing && reg.file == RegisterFile::general && writes_operand(writer);
      if (!is_literal && !is_operand) return "carried out before the first clock: " + describe(writer);
    }
    written.insert(use.writes.begin(), use.writes.end());
  }
  return {};
}

// ptxas neither merges nor repeats volatile loads: if one is missing before the first clock, it is after it.
std::string drifted_load(const Window& window, const Expectation& expected) {
  const auto is_load = [](const Instruction& i) { return has(opcode_of(i.text), Trait::loads_operand); };
  const auto loads = std::count_if(window.prologue.begin(), window.prologue.end(), is_load);
  if (loads >= expected.operand_loads) return {};
  return fmt::format("{} of the {} loads of operands are not before the first clock", expected.operand_loads - loads,
                     expected.operand_loads);
}

// An instruction without its register numbers, the order and inversion of its operands and operands that only fill a
// place (IADD3 R, R, R, RZ and IMAD.IADD R, R, 0x1, R are the same sum): "LOP3.LUT 0x3c,R,R,R".
std::string shape_of(const Instruction& instruction) {
  std::string text;
  for (const char c : instruction.text) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 && !text.empty() &&
        (text.ends_with('R') || text.ends_with('P')))
      continue;
    if (c != '!') text += c;
  }
  for (auto at = text.find(".reuse"); at != std::string::npos; at = text.find(".reuse")) text.erase(at, 6);
  std::vector<std::string> operands;
  std::size_t start = text.find(' ');
  const auto opcode = text.substr(0, start);
  while (start != std::string::npos) {
    const auto end = text.find(", ", start + 1);
    const auto operand = text.substr(start + 1, end == std::string::npos ? end : end - start - 1);
    if (operand != "RZ" && operand != "PT" && operand != "0x1") operands.push_back(operand);
    start = end == std::string::npos ? end : end + 1;
  }
  std::sort(operands.begin(), operands.end());
  return fmt::format("{} {}", canonical_opcode(opcode), fmt::join(operands, ","));
}

// ptxas puts one where a program waits for a group without any wgmma; it multiplies nothing.
bool is_empty_wgmma(const std::string& text) {
  return text.starts_with("HGMMA") && text.find(" RZ, gdesc[URZ], RZ, !UPT") != std::string::npos;
}

}  // namespace

FoundConsumer find_consumer(const Window& window, const Window& base) {
  FoundConsumer found{std::vector<bool>(window.instructions.size(), false), {}};
  std::vector<std::string> shapes;
  for (const auto& instruction : window.instructions) shapes.push_back(shape_of(instruction));
  const auto places = store_places(window), places_in_base = store_places(base);
  const auto may_be = [&](std::size_t i, std::size_t of_base) {
    const auto& wanted = places_in_base[of_base];
    return wanted.empty() ||
           std::any_of(wanted.begin(), wanted.end(), [&](std::string_view place) { return places[i].contains(place); });
  };
  for (std::size_t i = base.instructions.size() - 1; i-- > 1;) {
    const auto& consumer = base.instructions[i];
    if (has(opcode_of(consumer.text), Trait::moves | Trait::bookkeeping)) continue;
    // What makes the stored value must still do so, and for the same place: an instruction under test may have one of
    // the same shape, and a snippet one whose value is stored, too.
    const auto shape = shape_of(consumer);
    std::size_t behind = shapes.size();
    while (behind > 0 && (shapes[behind - 1] != shape || !may_be(behind - 1, i))) --behind;
    if (behind == 0) {
      found.changed = consumer.text;
      continue;
    }
    found.is_consumer[behind - 1] = true;
    shapes[behind - 1].clear();
  }
  return found;
}

std::string describe(const Instruction& instruction) {
  return fmt::format("{:04x} {}", instruction.offset, instruction.text);
}

Audit audit_loads_and_waits(const Window& window, const Expectation& expected) {
  if (auto reason = unknown_in(window); !reason.empty()) return {Verdict::contaminated, reason, {}};
  if (auto reason = foreign_wait(window); !reason.empty()) return {Verdict::contaminated, reason, {}};
  if (auto reason = drifted_load(window, expected); !reason.empty()) return {Verdict::contaminated, reason, {}};
  if (expected.operands_are_prepared) {
    if (const auto found = hoistable_preparations(window); !found.empty())
      return {Verdict::contaminated, "prepares an operand between the clocks: " + describe(*found.front()), {}};
  }
  return {};
}

Audit audit_flow(const Window& window, const Expectation& expected, const std::vector<bool>& roots) {
  if (Audit audit = audit_loads_and_waits(window, expected); !audit.is_proven() || !expected.is_arithmetic)
    return audit;
  const auto slice = backward_slice(window, roots);
  if (auto reason = foreign_instruction(window, slice, expected.alone); !reason.empty())
    return {Verdict::contaminated, reason, {}};
  if (const auto hoisted = hoisted_from(window, slice, expected.operands_are_prepared); !hoisted.empty())
    return {Verdict::elided, "computed before the first clock: " + describe(*hoisted.back()), {}};
  return {};
}

std::vector<std::string> hoisted_opcodes(const Window& window, const Expectation& expected,
                                         const std::vector<bool>& roots) {
  std::vector<std::string> names;
  for (const auto* hoisted : hoisted_from(window, backward_slice(window, roots), expected.operands_are_prepared))
    names.emplace_back(opcode_of(hoisted->text));
  return names;
}

std::vector<std::string> remove_from_end(std::vector<std::string>& whole, const std::vector<std::string>& part) {
  std::vector<std::string> missing;
  for (auto name = part.rbegin(); name != part.rend(); ++name) {
    const auto canonical = canonical_opcode(*name);
    const auto found = std::find_if(whole.rbegin(), whole.rend(),
                                    [&](const std::string& o) { return canonical_opcode(o) == canonical; });
    if (found == whole.rend()) {
      missing.push_back(canonical);
    } else {
      whole.erase(std::next(found).base());
    }
  }
  return missing;
}

std::string narrowed_access(const std::vector<std::string>& sass, int access_bytes, int copies) {
  int bytes = 0;
  for (const auto& opcode : sass) bytes += sass::access_bytes(opcode);
  if (bytes == 0 || bytes >= copies * access_bytes) return {};
  return fmt::format("it moves {} bytes where the instruction moves {}", bytes, copies * access_bytes);
}

bool is_filler(const std::string& opcode) { return has(opcode, Trait::fills); }

std::map<std::string, int> opcode_counts(const std::vector<std::string>& opcodes_of_steps) {
  std::map<std::string, int> counts;
  for (const auto& opcode : opcodes_of_steps) {
    if (canonical_opcode(opcode) != "MOV" && !has(opcode, Trait::bookkeeping)) ++counts[opcode];
  }
  return counts;
}

std::vector<std::string> opcodes(const Window& window) {
  const auto copies = clock_copies(window);
  std::vector<std::string> names;
  for (std::size_t i = 1; i + 1 < window.instructions.size(); ++i) {
    const auto& text = window.instructions[i].text;
    if (!copies[i] && !is_empty_wgmma(text)) names.emplace_back(opcode_of(text));
  }
  return names;
}

Audit audit_overhead(const Window& window) {
  if (auto reason = foreign_wait(window); !reason.empty()) return {Verdict::contaminated, reason, {}};
  if (const auto extra = opcodes(window); !extra.empty()) {
    return {Verdict::contaminated, fmt::format("between the clocks: {}", fmt::join(extra, ";")), {}};
  }
  return {};
}

Audit audit_base(const Window& base, const Expectation& expected) {
  Audit audit = audit_flow(base, expected, live_results(base));
  if (audit.is_proven() && opcodes(base).empty())
    audit = {Verdict::elided, "the consumer is not between the clocks", {}};
  return audit;
}

Audit audit_differential(const Window& window, const Window& base, const Expectation& expected) {
  // Of the values stored after the window, only the consumer's results were waited for: other code that feeds those
  // keeps a second result alive, and is not part of the instruction.
  const auto consumer = find_consumer(window, base);
  auto roots = live_results(window);
  for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = roots[i] && consumer.is_consumer[i];
  Audit audit = audit_flow(window, expected, roots);
  auto mine = opcodes(window);
  remove_from_end(mine, opcodes(base));
  std::erase_if(mine, [](const std::string& opcode) {
    return has(opcode, Trait::bookkeeping) && !has(opcode, Trait::calls | Trait::branches);
  });
  audit.sass = mine;
  if (!audit.is_proven()) return audit;
  if (!consumer.changed.empty()) {
    return {Verdict::fused,
            fmt::format("the consumer ({}) became another instruction behind the one under test", consumer.changed),
            mine};
  }
  if (mine.empty()) return {Verdict::elided, "nothing is between the clocks but the consumer", {}};
  if (!expected.has_sources) {
    if (auto reason = hoisted_read(window, consumer.is_consumer); !reason.empty())
      return {Verdict::elided, reason, mine};
  }
  if (auto reason = narrowed_access(mine, expected.access_bytes); !reason.empty())
    return {Verdict::elided, reason, mine};
  if (const auto uniform = std::find_if(mine.begin(), mine.end(), computes_uniformly);
      expected.is_arithmetic && uniform != mine.end()) {
    return {Verdict::contaminated, *uniform + " runs on the uniform datapath", mine};
  }
  return audit;
}

namespace {

// The instruction under test is in the window; `rest` gets everything else except control flow and copies.
Audit audit_presence(const Window& window, const std::vector<std::string>& sass, std::vector<std::string>& rest) {
  Audit audit;
  audit.sass = opcodes(window);
  if (auto reason = foreign_wait(window); !reason.empty()) return {Verdict::contaminated, reason, audit.sass};
  if (audit.sass.empty()) return {Verdict::elided, "nothing is between the clocks", {}};
  rest = audit.sass;
  if (const auto missing = remove_from_end(rest, sass); !missing.empty()) {
    return {Verdict::elided, fmt::format("not between the clocks: {}", fmt::join(missing, ";")), audit.sass};
  }
  std::erase_if(rest, [](const std::string& opcode) {
    return has(opcode, Trait::bookkeeping) || canonical_opcode(opcode) == "MOV";
  });
  return audit;
}

}  // namespace

Audit audit_bracket(const Window& window, const std::vector<std::string>& sass) {
  std::vector<std::string> rest;
  auto audit = audit_presence(window, sass, rest);
  if (audit.is_proven() && !sass.empty() && !rest.empty()) {
    return {Verdict::contaminated,
            fmt::format("more between the clocks than the instruction: {}", fmt::join(rest, ";")), audit.sass};
  }
  return audit;
}

Audit audit_bridge(const Window& window, const std::vector<std::string>& sass, const std::vector<std::string>& step) {
  std::vector<std::string> rest;
  auto audit = audit_presence(window, sass, rest);
  if (!audit.is_proven()) return audit;
  auto bridge = step;
  remove_from_end(bridge, sass);
  if (opcode_counts(bridge) != opcode_counts(rest)) {
    return {Verdict::contaminated,
            fmt::format("the bridge is {} here and {} in the chain", fmt::join(rest, ";"), fmt::join(bridge, ";")),
            audit.sass};
  }
  return audit;
}

Audit audit_waiting(const Window& window, const Window& without, const Expectation& expected) {
  Audit audit = audit_loads_and_waits(window, expected);
  audit.sass = opcodes(window);
  remove_from_end(audit.sass, opcodes(without));
  std::erase_if(audit.sass, is_filler);
  if (audit.is_proven() && audit.sass.empty()) {
    return {Verdict::elided, "nothing is between the clocks but the wait for it", {}};
  }
  if (auto reason = narrowed_access(audit.sass, expected.access_bytes); audit.is_proven() && !reason.empty())
    return {Verdict::elided, reason, audit.sass};
  return audit;
}

}  // namespace ptxlat::sass
