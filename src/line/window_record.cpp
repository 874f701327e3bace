// SPDX-License-Identifier: Apache-2.0
#include "line/window_record.h"

namespace ptxlat::line {

namespace {

results::SassRecord to_record(const sass::Instruction& instruction) {
  const auto& control = instruction.control;
  return {instruction.offset,       instruction.text,        control.stall_count, control.yields,
          control.write_scoreboard, control.read_scoreboard, control.wait_mask,   control.reuse};
}

sass::Instruction from_record(const results::SassRecord& record) {
  return {record.offset,
          {},
          {record.stall_count, record.yields, record.write_scoreboard, record.read_scoreboard, record.wait_mask,
           record.reuse},
          record.text};
}

}  // namespace

sass::Audit audit_without_window(const AssembledKernel& kernel) {
  return {kernel.cubin ? sass::Verdict::elided : sass::Verdict::rejected, kernel.log, {}, kernel.assembler_failed};
}

results::WindowRecord window_record(const std::string& role, const AssembledKernel& kernel, const sass::Audit& audit) {
  results::WindowRecord record;
  record.role = role;
  record.verdict = audit.verdict;
  record.reason = audit.reason;
  if (!kernel.window) return record;
  for (const auto& instruction : kernel.window->instructions) record.sass.push_back(to_record(instruction));
  record.static_cycles = kernel.schedule.cycles;
  record.static_is_lower_bound = kernel.schedule.is_lower_bound || kernel.schedule.branches;
  return record;
}

sass::Window window_of(const results::WindowRecord& record) {
  sass::Window window;
  for (const auto& one : record.sass) window.instructions.push_back(from_record(one));
  return window;
}

}  // namespace ptxlat::line
