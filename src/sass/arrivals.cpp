// SPDX-License-Identifier: Apache-2.0
#include "sass/arrivals.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sass/opcodes.h"
#include "sass/results.h"

namespace ptxlat::sass {

namespace {

bool is_matrix(std::string_view opcode) { return family_of(opcode).ends_with("MMA"); }

// Neither stall counts nor scoreboards say how long it takes.
bool is_unknown(const Instruction& instruction, CodeLayout layout) {
  const bool has_no_stall = instruction.control.stall_count == 0 && layout == CodeLayout::volta;
  return changes_control_flow(instruction.text) || has_no_stall || has(opcode_of(instruction.text), Trait::waits);
}

// What the scoreboards say: when each is free, or that this is not known.
using Releases = std::array<std::optional<double>, 6>;

void hold(const Instruction& instruction, double begin, const Arrivals& arrivals, Releases& releases) {
  const auto& control = instruction.control;
  if (control.read_scoreboard != ControlWord::no_scoreboard)
    releases[static_cast<std::size_t>(control.read_scoreboard)].reset();
  if (control.write_scoreboard == ControlWord::no_scoreboard) return;
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
  Releases releases;
  releases.fill(0);
  struct Writer {
    std::size_t at = 0;
    double scheduled = 0, begin = 0;
  };
  std::map<Register, Writer> writers;
  double issue = 0, begin = 0, scheduled = 0;  // of the instruction: as it issues, gets its operands; by stalls alone
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto& control = code[i].control;
    const bool is_inside = i > 0 && i + 1 < code.size();
    if (is_inside && is_unknown(code[i], window.layout)) return std::nullopt;
    for (std::size_t scoreboard = 0; i > 0 && scoreboard < releases.size(); ++scoreboard) {
      if ((control.wait_mask & (1 << scoreboard)) == 0) continue;
      if (!releases[scoreboard]) return std::nullopt;
      issue = std::max(issue, *releases[scoreboard]);
    }
    double held = 0;
    if (is_inside) {
      for (const auto& reg : sources_of(code[i].text)) {
        const auto found = writers.find(reg);
        if (found == writers.end()) continue;
        const auto* arrival = arrival_of(opcode_of(code[found->second.at].text), arrivals);
        const bool is_late = arrival != nullptr && arrival->is_interlocked;
        const bool is_scoreboarded = code[found->second.at].control.write_scoreboard != ControlWord::no_scoreboard;
        if (is_scoreboarded) continue;
        if (is_late) {
          held = std::max(held, found->second.begin + arrival->cycles);
        } else {
          issue = std::max(issue, found->second.begin + scheduled - found->second.scheduled);
        }
      }
    }
    begin = std::max({begin, issue, held});
    if (is_inside) {
      hold(code[i], begin, arrivals, releases);
      for (const auto& reg : results_of(code[i].text)) writers[reg] = {i, scheduled, begin};
    }
    issue += control.stall_count;
    scheduled += control.stall_count;
  }
  return begin;
}

}  // namespace ptxlat::sass
