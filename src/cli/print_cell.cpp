// SPDX-License-Identifier: Apache-2.0
#include "cli/print_cell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.h"
#include "report/number.h"
#include "report/window_text.h"

namespace ptxlat::cli {

void print_window(const results::WindowRecord& window) { fmt::print("{}", report::window_text(window)); }

void print_cell(const results::Record& cell) {
  fmt::print("\n  O{}  operand {}{}{}: {}\n", cell.level, cell.operand.empty() ? "-" : printable(cell.operand),
             cell.input.empty() ? "" : ", ", printable(cell.input), to_string(cell.verdict));
  if (cell.measure) fmt::print("    measure {}\n", to_string(*cell.measure));
  if (!cell.consumer.empty()) fmt::print("    consumer {}\n", printable(cell.consumer));
  if (!cell.differential_consumer.empty())
    fmt::print("    consumer of the differential {}\n", printable(cell.differential_consumer));
  for (const auto& metric : cell.metrics) {
    const auto from =
        metric.from.empty() ? "" : fmt::format("  from {}", printable(fmt::format("{}", fmt::join(metric.from, ", "))));
    const auto verdict = metric.verdict == sass::Verdict::proven ? "" : fmt::format("  {}", to_string(metric.verdict));
    fmt::print("    {:<12} {:>8} {}{}{}\n", metric.tag, report::decimal(metric.value),
               results::find_metric(metric.tag)->unit, from, verdict);
  }
  fmt::print("    SASS {} ({})\n", printable(fmt::format("{}", fmt::join(cell.sass, ";"))), cell.sass_count);
  if (cell.code_of_level >= 0)
    fmt::print("    the record of -O{}: the first windows have the same machine code here\n", cell.code_of_level);
  if (!cell.note.empty()) fmt::print("    {}\n", printable(cell.note));
  if (!cell.flags.empty()) fmt::print("    flags {}\n", printable(fmt::format("{}", fmt::join(cell.flags, ", "))));
  for (const auto& window : cell.windows) print_window(window);
}

}  // namespace ptxlat::cli
