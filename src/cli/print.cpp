// SPDX-License-Identifier: Apache-2.0
#include "cli/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pages/evidence.h"
#include "tables/number.h"

namespace ptxlat::cli {

void print_window(const results::WindowRecord& window) { say("{}", pages::window_text(window)); }

void print_numbers(const results::Record& cell) {
  say("\n  O{}  operand {}{}{}: {}\n", cell.level, cell.operand.empty() ? "-" : cell.operand,
      cell.input.empty() ? "" : ", ", cell.input, to_string(cell.verdict));
  if (cell.measure) say("    measure {}\n", to_string(*cell.measure));
  if (!cell.consumer.empty()) say("    consumer {}\n", cell.consumer);
  if (!cell.differential_consumer.empty()) say("    consumer of the differential {}\n", cell.differential_consumer);
  for (const auto& metric : cell.metrics) {
    const auto from = metric.from.empty() ? "" : fmt::format("  from {}", fmt::join(metric.from, ", "));
    const auto verdict = metric.verdict == sass::Verdict::proven ? "" : fmt::format("  {}", to_string(metric.verdict));
    say("    {:<12} {:>8} {}{}{}\n", metric.tag, tables::three_digits(metric.value),
        results::find_metric(metric.tag)->unit, from, verdict);
  }
  say("    SASS {} ({})\n", fmt::join(cell.sass, ";"), cell.sass_count);
  if (cell.code_of_level >= 0)
    say("    the record of -O{}: the first windows have the same machine code here\n", cell.code_of_level);
  if (!cell.note.empty()) say("    {}\n", cell.note);
  if (!cell.flags.empty()) say("    flags {}\n", fmt::join(cell.flags, ", "));
}

void print_cell(const results::Record& cell) {
  print_numbers(cell);
  for (const auto& window : cell.windows) print_window(window);
}

}  // namespace ptxlat::cli
