// SPDX-License-Identifier: Apache-2.0
#include "sass/audit_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sass/audit.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"
#include "sass/path.h"

namespace ptxlat::sass {

// Windows that contain work that a real kernel does once: bringing an operand to where the machine expects it.

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

// Chains and streams: windows with n copies of an instruction and with twice as many.

namespace {

// Opcodes that move operands into place and results out of it, or wait; all others do the instruction's work.
bool only_moves_bits(const std::string& opcode) { return has(opcode, Trait::moves_bits); }

// Copies of an instruction that takes several machine instructions share what does not depend on their operands (the
// lane number, a descriptor), and results may be unpacked after the clocks. Then an additional copy is only a part of
// the instruction, and it must be the part that does the work: only moves may be new compared with the instruction
// alone, and the last opcode that does more than move bits must appear once per copy. How bits are moved depends on the
// registers that ptxas chose; moves count only if the instruction does nothing else.
bool does_the_work(const std::vector<std::string>& added, int copies, const std::vector<std::string>& sass) {
  const auto alone = opcode_counts(sass);
  const auto counts = opcode_counts(added);
  const auto last = [&](bool or_moves) {
    return std::find_if(sass.rbegin(), sass.rend(),
                        [&](const auto& o) { return alone.contains(o) && (or_moves || !only_moves_bits(o)); });
  };
  const bool only_moves = last(false) == sass.rend();
  const auto work = last(only_moves);
  if (work == sass.rend()) return false;
  const bool has_foreign = std::any_of(counts.begin(), counts.end(), [&](const auto& entry) {
    if (!only_moves && only_moves_bits(entry.first)) return false;
    const auto own = alone.find(entry.first);
    return own == alone.end() || entry.second > copies * own->second;
  });
  const auto worked = counts.find(*work);
  return !has_foreign && worked != counts.end() && worked->second == copies * alone.at(*work);
}

// If nothing is known about the instruction alone, the additional copies of the longer stream must repeat the work of
// the shorter stream's.
bool repeats_the_work(std::vector<std::string> added, std::vector<std::string> first) {
  for (auto* opcodes : {&added, &first}) std::erase_if(*opcodes, only_moves_bits);
  return !added.empty() && opcode_counts(added) == opcode_counts(first);
}

}  // namespace

bool end_waits(const Window& stream) {
  if (is_unoptimised(stream)) return false;
  const auto& code = stream.instructions;
  int set = 0;
  for (const auto& instruction : code) set |= scoreboards_set(instruction.control);
  for (auto last = code.rbegin(); last != code.rend(); ++last) {
    if ((last->control.wait_mask & set) != 0) return true;
    if (last != code.rbegin() && !has(opcode_of(last->text), Trait::bookkeeping)) return false;
  }
  return false;
}

Audit audit_stream(const Window& shorter, const Window& longer, int copies, const std::vector<std::string>& sass,
                   const Expectation& expected) {
  auto in_a_stream = expected;
  in_a_stream.operands_are_prepared = false;  // work that the copies share is in both and cancels
  for (const Window* window : {&shorter, &longer}) {
    if (Audit audit = audit_loads_and_waits(*window, in_a_stream); !audit.is_proven()) return audit;
  }
  if (expected.operands_are_prepared) {
    const auto more = hoistable_preparations(longer);
    if (more.size() > hoistable_preparations(shorter).size())
      return {Verdict::contaminated, "copies prepare their operands between the clocks: " + describe(*more.back()), {}};
  }
  const auto first = opcodes(shorter);
  auto added = opcodes(longer);
  remove_from_end(added, first);
  // Instructions that the assembler knows to have no effect are one NOP each: a barrier of converged lanes, a fence
  // between accesses that are ordered anyway.
  const auto fillers = std::erase_if(added, is_filler);
  if (added.empty() && sass.empty() && std::cmp_equal(fillers, copies)) added.assign(fillers, "NOP");
  const auto count = static_cast<int>(added.size());
  if (count == 0) return {Verdict::elided, "twice the copies make no more instructions", {}};
  const auto per_copy = static_cast<std::size_t>(count / copies);
  std::vector<std::string> copy(added.end() - static_cast<std::ptrdiff_t>(per_copy), added.end());
  if (auto reason = narrowed_access(added, expected.access_bytes, copies); !reason.empty())
    return {Verdict::elided, reason, copy};
  const bool is_whole = count % copies == 0 && per_copy >= sass.size();
  if (is_whole || (sass.empty() ? repeats_the_work(added, first) : does_the_work(added, copies, sass))) {
    if (end_waits(shorter) == end_waits(longer)) return {Verdict::proven, {}, copy};
    return {Verdict::contaminated, "the end of one of the streams waits for its copies", copy};
  }
  if (count % copies != 0) {
    return {Verdict::fused, fmt::format("{} more copies make {} more instructions", copies, count), {}};
  }
  return {Verdict::fused,
          fmt::format("a copy is {} instructions where the instruction alone is {}", per_copy, sass.size()), copy};
}

namespace {

// The additional steps of the longer chain are those of the shorter, which may lack the bridge after its last step.
bool is_the_same_again(const std::vector<std::string>& added, const std::vector<std::string>& first_half,
                       const std::vector<std::string>& bridge) {
  auto missing = opcode_counts(added);
  for (const auto& [opcode, count] : opcode_counts(first_half)) missing[opcode] -= count;
  auto allowed = opcode_counts(bridge);
  return std::all_of(missing.begin(), missing.end(), [&](const auto& entry) {
    return entry.second == 0 || (entry.second > 0 && entry.second <= allowed[entry.first]);
  });
}

// The shorter chain without what comes before the first step in both chains alike, if as many instructions as were
// added are its steps: what the operand does not reach was made once, and cancels.
std::vector<std::string> without_lead_in(std::vector<std::string> shorter, const std::vector<std::string>& longer,
                                         std::size_t added) {
  if (shorter.size() <= added) return shorter;
  const auto steps = shorter.end() - static_cast<std::ptrdiff_t>(added);
  const bool is_shared = longer.size() > shorter.size() && std::equal(shorter.begin(), steps, longer.begin());
  if (is_shared) shorter.erase(shorter.begin(), steps);
  return shorter;
}

std::vector<std::string> last_of(const std::vector<std::string>& opcodes, std::size_t count) {
  return {opcodes.end() - static_cast<std::ptrdiff_t>(std::min(count, opcodes.size())), opcodes.end()};
}

}  // namespace

Audit audit_chain(const Window& shorter, const Window& longer, int steps, const std::vector<std::string>& sass,
                  const Expectation& expected) {
  // A part of the first step that was computed before both chains cancels.
  const auto hoisted_of = [&](const Window& window) { return hoisted_opcodes(window, expected, live_results(window)); };
  std::vector<std::string> hoisted;
  for (const Window* window : {&shorter, &longer}) {
    const auto audit = audit_flow(*window, expected, live_results(*window));
    if (audit.is_proven()) continue;
    if (audit.verdict != Verdict::elided) return audit;
    hoisted = hoisted_of(shorter);
    if (hoisted != hoisted_of(longer)) return audit;
  }
  auto first_half = opcodes(shorter);
  auto added = opcodes(longer);
  const auto whole = added.size();
  remove_from_end(added, first_half);
  const bool has_all_of_the_shorter = whole == first_half.size() + added.size();
  remove_from_end(first_half, expected.edges);
  first_half.insert(first_half.begin(), hoisted.begin(), hoisted.end());
  const auto count = static_cast<int>(added.size());
  if (count == 0) return {Verdict::elided, "the chain folded: twice the steps make no more instructions", {}};
  if (count % steps != 0) {
    return {Verdict::fused, fmt::format("{} more steps make {} more instructions", steps, count), {}};
  }
  const auto per_step = static_cast<std::size_t>(count / steps);
  auto step = last_of(added, per_step);
  if (!hoisted.empty()) {
    // What was added does not begin with a step then.
    auto all = opcodes(longer);
    remove_from_end(all, expected.edges);
    step = last_of(all, per_step);
  }
  if (per_step < sass.size()) {
    return {Verdict::fused,
            fmt::format("a step is {} instructions where the instruction alone is {}", per_step, sass.size()), step};
  }
  if (auto reason = narrowed_access(step, expected.access_bytes); !reason.empty())
    return {Verdict::elided, reason, step};
  auto bridge = step;
  remove_from_end(bridge, sass);
  if (sass.empty()) bridge.clear();
  const auto is_again = [&](const std::vector<std::string>& half) { return is_the_same_again(added, half, bridge); };
  const bool repeats = is_again(first_half) || (same_operations(step, sass) &&
                                                is_again(without_lead_in(first_half, opcodes(longer), added.size())));
  if (!has_all_of_the_shorter || !repeats) {
    return {Verdict::contaminated,
            fmt::format("the {} instructions of its first half are not those of its second", first_half.size()), step};
  }
  std::erase_if(step, is_filler);
  return {Verdict::proven, {}, step};
}

}  // namespace ptxlat::sass
