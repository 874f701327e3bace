// SPDX-License-Identifier: Apache-2.0
#include "sass/hidden_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "sass/audit_parts.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

bool uses_registers(const Instruction& instruction) {
  const auto use = register_use(instruction.text);
  return !use.reads.empty() || !use.writes.empty();
}

// A reader as close to its sources as possible: it follows the later one by 4 cycles, or by 5 if that comes from a
// different pipe, and the earlier one by 6.
bool arrive_two_cycles_apart(int earlier, int later) { return earlier == 6 && (later == 4 || later == 5); }

}  // namespace

std::string bank_conflict(const Window& window) {
  std::map<int, int> written_at;  // general registers, by the cycle of the schedule
  int now = 0, held = 0;
  const auto& code = window.instructions;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    const auto& control = code[i].control;
    const auto use = register_use(code[i].text);
    // After a wait or a branch the schedule does not say how long ago something was written.
    if ((control.wait_mask & held) != 0 || changes_control_flow(code[i].text)) written_at.clear();
    held |= scoreboards_set(control);
    for (const auto& x : use.reads) {
      for (const auto& y : use.reads) {
        const auto first = written_at.find(x.number), second = written_at.find(y.number);
        if (x.file != RegisterFile::general || y.file != RegisterFile::general || (x.number - y.number) % 2 != 0)
          continue;
        if (first == written_at.end() || second == written_at.end()) continue;
        if (arrive_two_cycles_apart(now - first->second, now - second->second)) {
          return fmt::format("R{} and R{} are in one register bank and were written 2 cycles apart: {:04x} {}",
                             x.number, y.number, code[i].offset, code[i].text);
        }
      }
    }
    for (const auto& written : use.writes) {
      if (written.file != RegisterFile::general) continue;
      written_at.erase(written.number);
      if (!writes_scoreboard(control)) written_at.emplace(written.number, now);
    }
    now += control.stall_count;
  }
  return {};
}

namespace {

// Whether the instruction has read its registers when the last one issues: a later access on the same path to memory
// has returned.
bool has_read(const std::vector<Instruction>& code, std::size_t reader) {
  if (writes_scoreboard(code[reader].control)) return false;
  for (std::size_t i = reader + 1; i + 1 < code.size(); ++i) {
    const int awaited = code[i].control.write_scoreboard;
    if (awaited == ControlWord::no_scoreboard || !go_one_way(opcode_of(code[reader].text), opcode_of(code[i].text)))
      continue;
    const bool has_come =
        std::any_of(code.begin() + static_cast<std::ptrdiff_t>(i) + 1, code.end() - 1, [&](const auto& later) {
          return (later.control.wait_mask >> awaited & 1) != 0 ||
                 later.text.starts_with(fmt::format("DEPBAR.LE SB{}, 0x0", awaited));
        });
    if (has_come) return true;
  }
  return false;
}

// A description of what the second clock waits for; `even_if_over`: even if the wait is over when the clock could
// issue.
std::string waits_of_clock(const Window& window, bool even_if_over) {
  const auto& code = window.instructions;
  if (code.empty() || is_unoptimised(window)) return {};
  std::array<std::vector<std::size_t>, 6> holders;  // of each scoreboard
  for (std::size_t i = 0; i < code.size(); ++i) {
    for (std::size_t scoreboard = 0; scoreboard < holders.size(); ++scoreboard) {
      auto& held = holders[scoreboard];
      if ((code[i].control.wait_mask >> scoreboard & 1) != 0) {
        const auto holder = std::find_if(held.begin(), held.end(), [&](std::size_t at) {
          return uses_registers(code[at]) && (even_if_over || !has_read(code, at));
        });
        if (i + 1 == code.size() && holder != held.end())
          return "the second clock waits for a register of " + describe(code[*holder]);
        held.clear();
      }
      if ((scoreboards_set(code[i].control) >> scoreboard & 1) != 0) held.push_back(i);
    }
  }
  return {};
}

}  // namespace

std::string clock_waits(const Window& window) { return waits_of_clock(window, true); }

std::string clock_is_late(const Window& window) { return waits_of_clock(window, false); }

}  // namespace ptxlat::sass
