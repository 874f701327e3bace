// SPDX-License-Identifier: Apache-2.0
#include "sass/arrivals.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sass/opcodes.h"
#include "sass/path.h"

namespace ptxlat::sass {

namespace {

bool is_matrix(std::string_view opcode) { return family_of(opcode).ends_with("MMA"); }

// What the scoreboards say: when each is free, or that this is not known.
using Releases = std::array<std::optional<double>, 6>;

void hold(const Instruction& instruction, double begin, const Arrivals& arrivals, Releases& releases) {
  const auto& control = instruction.control;
  if (control.read_scoreboard != ControlWord::no_scoreboard)
    releases[static_cast<std::size_t>(control.read_scoreboard)].reset();
  if (!writes_scoreboard(control)) return;
  auto& release = releases[static_cast<std::size_t>(control.write_scoreboard)];
  const auto* arrival = arrival_of(opcode_of(instruction.text), arrivals);
  if (arrival == nullptr || arrival->is_interlocked) {
    release.reset();
  } else if (release) {
    release = std::max(*release, begin + arrival->cycles);
  }
}

}  // namespace

const Arrival* arrival_of(std::string_view opcode, const Arrivals& arrivals) {
  if (has(opcode, Trait::loads | Trait::stores)) {
    const auto found = arrivals.find(opcode);
    return found == arrivals.end() ? nullptr : &found->second;
  }
  for (auto name = opcode; !name.empty(); name = name.substr(0, name.rfind('.'))) {
    if (const auto found = arrivals.find(name); found != arrivals.end()) return &found->second;
    if (name.find('.') == std::string_view::npos) break;
  }
  return nullptr;
}

bool is_interlocked(std::string_view opcode, const Arrivals& arrivals) {
  if (is_matrix(opcode))
    return std::any_of(arrivals.begin(), arrivals.end(),
                       [](const auto& entry) { return entry.second.is_interlocked && is_matrix(entry.first); });
  const auto* arrival = arrival_of(opcode, arrivals);
  return arrival != nullptr && arrival->is_interlocked;
}

std::optional<double> expected_cycles(const Window& window, const Arrivals& arrivals) {
  const auto& code = window.instructions;
  const auto producers = producers_in(window);
  Releases releases;
  releases.fill(0);
  // Of each instruction: by its place in the schedule, and as it gets its operands.
  std::vector<double> scheduled(code.size(), 0), begins(code.size(), 0);
  double issue = 0, begin = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto& control = code[i].control;
    const bool is_inside = i > 0 && i + 1 < code.size();
    if (is_inside && (changes_control_flow(code[i].text) || waits_unseen(code[i], window.layout))) return std::nullopt;
    for (std::size_t scoreboard = 0; i > 0 && scoreboard < releases.size(); ++scoreboard) {
      if ((control.wait_mask & (1 << scoreboard)) == 0) continue;
      if (!releases[scoreboard]) return std::nullopt;
      issue = std::max(issue, *releases[scoreboard]);
    }
    double held = 0;
    for (const auto producer : producers[i]) {
      if (writes_scoreboard(code[producer].control)) continue;
      const auto* arrival = arrival_of(opcode_of(code[producer].text), arrivals);
      if (arrival != nullptr && arrival->is_interlocked) {
        held = std::max(held, begins[producer] + arrival->cycles);
      } else {
        issue = std::max(issue, begins[producer] + scheduled[i] - scheduled[producer]);
      }
    }
    begins[i] = begin = std::max({begin, issue, held});
    if (is_inside) hold(code[i], begin, arrivals, releases);
    issue += control.stall_count;
    if (i + 1 < code.size()) scheduled[i + 1] = scheduled[i] + control.stall_count;
  }
  return begin;
}

}  // namespace ptxlat::sass
