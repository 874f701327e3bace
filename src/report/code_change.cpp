#include "report/code_change.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "report/window.h"

namespace ptxlat {

namespace {

constexpr std::size_t window_width = 60;
constexpr std::size_t most_stall_counts = 12;

// When an instruction issues, as far as the code says.
struct Issue {
  int stall_count = 0;
  bool yields = false;
  // Indices of the instructions that set the scoreboards it waits for, -1 for one before the window. The numbers of
  // the scoreboards are as arbitrary as those of registers.
  std::set<int> waits_for;

  bool operator==(const Issue&) const = default;
};

std::vector<Issue> schedule_of(const WindowRecord& window) {
  std::vector<Issue> schedule(window.sass.size());
  std::array<int, 8> setter;
  setter.fill(-1);
  for (std::size_t i = 0; i < window.sass.size(); ++i) {
    const SassRecord& instruction = window.sass[i];
    // What the first clock waits for is over before it reads, and what stalls behind the second comes after it.
    if (i != 0) {
      for (int scoreboard = 0; scoreboard < 6; ++scoreboard) {
        if (instruction.wait_mask >> scoreboard & 1) schedule[i].waits_for.insert(setter[scoreboard]);
      }
    }
    if (i + 1 != window.sass.size()) {
      schedule[i].stall_count = instruction.stall_count;
      schedule[i].yields = instruction.yields;
    }
    setter[instruction.write_scoreboard & 7] = static_cast<int>(i);
    setter[instruction.read_scoreboard & 7] = static_cast<int>(i);
  }
  return schedule;
}

bool equal_stall_counts(const std::vector<Issue>& a, const std::vector<Issue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Issue& left, const Issue& right) { return left.stall_count == right.stall_count; });
}

std::string stall_counts_text(const std::vector<Issue>& schedule) {
  std::string text;
  for (std::size_t i = 0; i + 1 < schedule.size(); ++i) {
    if (i == most_stall_counts) return text + " …";
    text += fmt::format("{}{}", i == 0 ? "" : " ", schedule[i].stall_count);
  }
  return text;
}

}  // namespace

WindowPair comparable_windows(const CellRecord& a, const CellRecord& b) {
  if (const WindowRecord* window = backing_window(a); window && !window->sass.empty()) {
    const WindowRecord* other = window_of_role(b, window->role);
    if (other && !other->sass.empty()) return {window, other};
  }
  if (const WindowRecord* window = backing_window(b); window && !window->sass.empty()) {
    const WindowRecord* other = window_of_role(a, window->role);
    if (other && !other->sass.empty()) return {other, window};
  }
  return {};
}

CodeChange code_change(const CellRecord& a, const CellRecord& b) {
  if (a.sass != b.sass) return CodeChange::opcodes;
  const WindowPair windows = comparable_windows(a, b);
  if (!windows.a) return a.static_cycles == b.static_cycles ? CodeChange::none : CodeChange::schedule;
  if (opcodes_of(*windows.a) != opcodes_of(*windows.b)) return CodeChange::opcodes;
  return schedule_of(*windows.a) == schedule_of(*windows.b) ? CodeChange::none : CodeChange::schedule;
}

std::string describe_code_change(const CellRecord& a, const CellRecord& b) {
  const WindowPair windows = comparable_windows(a, b);
  if (!windows.a || a.sass != b.sass) return {};
  const std::vector<std::string> a_opcodes = opcodes_of(*windows.a);
  const std::vector<std::string> b_opcodes = opcodes_of(*windows.b);
  if (a_opcodes != b_opcodes) {
    return fmt::format("window {} → {}", brief_opcodes(a_opcodes, window_width),
                       brief_opcodes(b_opcodes, window_width));
  }
  const std::vector<Issue> a_schedule = schedule_of(*windows.a);
  const std::vector<Issue> b_schedule = schedule_of(*windows.b);
  if (a_schedule == b_schedule) return {};
  if (equal_stall_counts(a_schedule, b_schedule)) return "other waits or yields";
  return fmt::format("stall counts {} → {}", stall_counts_text(a_schedule), stall_counts_text(b_schedule));
}

}  // namespace ptxlat
