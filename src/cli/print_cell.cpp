// SPDX-License-Identifier: Apache-2.0
#include "cli/print_cell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/number.h"
#include "sass/instruction.h"

namespace ptxlat::cli {

namespace {

std::string scoreboard(int number) {
  return number == sass::ControlWord::no_scoreboard ? "-" : fmt::format("{}", number);
}

}  // namespace

void print_window(const results::WindowRecord& window) {
  fmt::print("\n    {}{}: {}{}{}\n", window.role, window.operand.empty() ? "" : " of " + window.operand,
             to_string(window.verdict), window.reason.empty() ? "" : ", ", window.reason);
  fmt::print("      schedule {}{} cycles", window.static_is_lower_bound ? "at least " : "", window.static_cycles);
  if (window.cycles) fmt::print(", measured {} ({:.0f} % of the launches)", *window.cycles, 100 * window.mode_share);
  fmt::print("\n      offset  stall yield write read wait  SASS\n");
  for (const auto& i : window.sass) {
    fmt::print("      {:04x}    {:5} {:>5} {:>5} {:>4} {:>4}  {}\n", i.offset, i.stall_count, i.yields ? "yes" : "-",
               scoreboard(i.write_scoreboard), scoreboard(i.read_scoreboard),
               i.wait_mask == 0 ? "-" : fmt::format("{:#x}", i.wait_mask), i.text);
  }
}

void print_cell(const results::Record& cell) {
  fmt::print("\n  O{}  operand {}{}{}: {}\n", cell.level, cell.operand.empty() ? "-" : cell.operand,
             cell.input.empty() ? "" : ", ", cell.input, to_string(cell.verdict));
  if (cell.measure) fmt::print("    measure {}\n", to_string(*cell.measure));
  if (!cell.consumer.empty()) fmt::print("    consumer {}\n", cell.consumer);
  if (!cell.differential_consumer.empty())
    fmt::print("    consumer of the differential {}\n", cell.differential_consumer);
  for (const auto& metric : cell.metrics) {
    const auto from = metric.from.empty() ? "" : fmt::format("  from {}", fmt::join(metric.from, ", "));
    const auto verdict = metric.verdict == sass::Verdict::proven ? "" : fmt::format("  {}", to_string(metric.verdict));
    fmt::print("    {:<12} {:>8} {}{}{}\n", metric.tag, report::decimal(metric.value),
               results::find_metric(metric.tag)->unit, from, verdict);
  }
  fmt::print("    SASS {} ({})\n", fmt::join(cell.sass, ";"), cell.sass_count);
  if (cell.code_of_level >= 0)
    fmt::print("    the record of -O{}: the first windows have the same machine code here\n", cell.code_of_level);
  if (!cell.note.empty()) fmt::print("    {}\n", cell.note);
  if (!cell.flags.empty()) fmt::print("    flags {}\n", fmt::join(cell.flags, ", "));
  for (const auto& window : cell.windows) print_window(window);
}

}  // namespace ptxlat::cli
