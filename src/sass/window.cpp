// SPDX-License-Identifier: Apache-2.0
#include "sass/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sass/opcodes.h"

namespace ptxlat::sass {

std::optional<Window> find_window(const KernelCode& kernel, std::string& why, int reads) {
  const auto layout = kernel.layout;
  std::vector<std::size_t> clocks, discarded;
  for (std::size_t i = 0; i < kernel.words.size(); ++i) {
    if (!reads_clock(layout, kernel.words[i])) continue;
    (discards_clock(layout, kernel.words[i]) ? discarded : clocks).push_back(i);
  }
  if (reads < 2 || !std::cmp_equal(clocks.size(), reads)) {
    why = fmt::format("{} clock reads in the kernel instead of {}", clocks.size(), reads);
    return std::nullopt;
  }
  if (opcode_field(layout, kernel.words[clocks.front()]) != opcode_field(layout, kernel.words[clocks.back()])) {
    why = "the two clock reads are different instructions, which sample at different points";
    return std::nullopt;
  }
  // A discarded read before the second clock belongs to it.
  const bool has_forerunner = std::find(discarded.begin(), discarded.end(), clocks.back() - 1) != discarded.end();
  const auto end = has_forerunner ? clocks.back() - 1 : clocks.back();
  Window window;
  window.layout = layout;
  window.registers = kernel.registers;
  for (std::size_t i = 0; i < kernel.words.size(); ++i) {
    const auto& word = kernel.words[i];
    auto& part = i < clocks.front() ? window.prologue : i <= end ? window.instructions : window.epilogue;
    part.push_back({offset_of(layout, i), word, control_word(word), {}});
  }
  return window;
}

Window whole_window(const KernelCode& kernel) {
  Window window;
  window.layout = kernel.layout;
  window.registers = kernel.registers;
  for (std::size_t i = 0; i < kernel.words.size(); ++i)
    window.instructions.push_back({offset_of(kernel.layout, i), kernel.words[i], control_word(kernel.words[i]), {}});
  return window;
}

int scoreboards_set(const ControlWord& control) {
  int mask = 0;
  for (const int scoreboard : {control.write_scoreboard, control.read_scoreboard}) {
    if (scoreboard != ControlWord::no_scoreboard) mask |= 1 << scoreboard;
  }
  return mask;
}

namespace {

// The target of a branch after the window that goes back to before it; -1 for every other branch.
int loop_head(const Window& window, const Instruction& branch) {
  if (!has(opcode_of(branch.text), Trait::branches)) return -1;
  const auto at = branch.text.rfind("0x");
  if (at == std::string::npos) return -1;
  int target = 0;
  const auto* const end = branch.text.data() + branch.text.size();
  const auto read = std::from_chars(branch.text.data() + at + 2, end, target, 16);
  return read.ec == std::errc{} && target < window.instructions.front().offset ? target : -1;
}

void follow(const Instruction& instruction, int& pending) {
  pending &= ~instruction.control.wait_mask;
  pending |= scoreboards_set(instruction.control);
}

}  // namespace

int pending_scoreboards(const Window& window) {
  int pending = 0, head = -1;
  for (const auto& instruction : window.instructions) follow(instruction, pending);
  for (const auto& instruction : window.epilogue) {
    follow(instruction, pending);
    head = loop_head(window, instruction);
    if (head >= 0) break;
  }
  // Without a loop nothing is known about earlier code.
  if (head < 0) pending = 0x3f;
  for (const auto& instruction : window.prologue) {
    if (instruction.offset >= head) follow(instruction, pending);
  }
  return pending & ~window.instructions.front().control.wait_mask;
}

int unawaited_results(const Window& window) {
  const auto& code = window.instructions;
  int count = 0, awaited = 0;
  for (std::size_t i = code.size(); i-- > 1;) {
    const auto& control = code[i].control;
    const bool is_between = i + 1 != code.size();
    if (is_between && writes_scoreboard(control) && (awaited & (1 << control.write_scoreboard)) == 0) ++count;
    awaited |= control.wait_mask;
  }
  return count;
}

bool is_unoptimised(const Window& window) {
  const auto& code = window.instructions;
  if (code.empty()) return false;
  const auto all_stall = [&](int count) {
    return std::all_of(code.begin(), code.end() - 1,
                       [&](const Instruction& i) { return i.control.stall_count == count; });
  };
  return all_stall(15) || all_stall(0);
}

int moves_in(const Window& window) {
  int count = 0;
  for (std::size_t i = 1; i + 1 < window.instructions.size(); ++i)
    count += canonical_opcode(opcode_of(window.instructions[i].text)) == "MOV" ? 1 : 0;
  return count;
}

std::optional<int> spacing_of(std::string_view opcode, const Window& window) {
  const auto& code = window.instructions;
  std::optional<int> least;
  for (std::size_t i = 1; i + 2 < code.size(); ++i) {
    if (opcode_of(code[i].text) != opcode || opcode_of(code[i + 1].text) != opcode) continue;
    least = std::min(least.value_or(code[i].control.stall_count), code[i].control.stall_count);
  }
  return least;
}

bool waits_unseen(const Instruction& instruction, CodeLayout layout) {
  const bool has_no_stall = instruction.control.stall_count == 0 && layout == CodeLayout::volta;
  return has_no_stall || has(opcode_of(instruction.text), Trait::waits);
}

StaticSchedule static_schedule(const Window& window) {
  StaticSchedule schedule;
  const auto& code = window.instructions;
  int set_inside = 0;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    schedule.cycles += code[i].control.stall_count;
    if (changes_control_flow(code[i].text)) schedule.branches = true;
    if (waits_unseen(code[i], window.layout)) schedule.is_lower_bound = true;
  }
  for (const auto& instruction : code) {
    if ((instruction.control.wait_mask & set_inside) != 0) schedule.is_lower_bound = true;
    set_inside |= scoreboards_set(instruction.control);
  }
  if (code.size() >= 2) schedule.edge_cycles = code.front().control.stall_count;
  if (code.size() >= 3) {
    const auto& last = code[code.size() - 2].control;
    schedule.last_edge_cycles = last.stall_count;
    schedule.edge_cycles += last.stall_count;
    schedule.waits_for_last = (scoreboards_set(last) & code.back().control.wait_mask) != 0;
  }
  return schedule;
}

}  // namespace ptxlat::sass
