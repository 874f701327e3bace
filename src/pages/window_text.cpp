// SPDX-License-Identifier: Apache-2.0
#include "pages/window_text.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "sass/cubin.h"

namespace ptxlat::pages {

namespace {

std::string scoreboard(int number) {
  return number == sass::ControlWord::no_scoreboard ? "-" : fmt::format("{}", number);
}

}  // namespace

std::string window_text(const results::WindowRecord& window) {
  auto text = fmt::format("\n    {}{}: {}{}{}\n", window.role, window.operand.empty() ? "" : " of " + window.operand,
                          to_string(window.verdict), window.reason.empty() ? "" : ", ", window.reason);
  text +=
      fmt::format("      schedule {}{} cycles", window.static_is_lower_bound ? "at least " : "", window.static_cycles);
  if (window.cycles)
    text += fmt::format(", measured {} ({:.0f} % of the launches)", *window.cycles, 100 * window.mode_share);
  text += "\n      offset  stall yield write read wait  SASS\n";
  for (const auto& i : window.sass) {
    text += fmt::format("      {:04x}    {:5} {:>5} {:>5} {:>4} {:>4}  {}\n", i.offset, i.stall_count,
                        i.yields ? "yes" : "-", scoreboard(i.write_scoreboard), scoreboard(i.read_scoreboard),
                        i.wait_mask == 0 ? "-" : fmt::format("{:#x}", i.wait_mask), i.text);
  }
  return printable(text);
}

}  // namespace ptxlat::pages
