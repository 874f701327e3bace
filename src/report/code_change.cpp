#include "report/code_change.h"

#include <fmt/format.h>

#include <algorithm>
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
  const std::size_t count = window.sass.size();
  std::vector<Issue> schedule(count);
  std::array<int, 8> setter;
  setter.fill(-1);
  for (std::size_t i = 0; i < count; ++i) {
    const SassRecord& instruction = window.sass[i];
    // What the first clock waits for is over before it reads.
    for (int scoreboard = 0; i != 0 && scoreboard < 6; ++scoreboard) {
      if (instruction.wait_mask >> scoreboard & 1) schedule[i].waits_for.insert(setter[scoreboard]);
    }
    const bool is_edge = i == 0 || i + 2 >= count;
    if (!is_edge) {
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
  for (std::size_t i = 1; i + 2 < schedule.size(); ++i) {
    if (i > most_stall_counts) return text + " …";
    text += fmt::format("{}{}", i == 1 ? "" : " ", schedule[i].stall_count);
  }
  return text;
}

bool equal_opcodes(const WindowRecord& a, const WindowRecord& b) {
  return std::equal(
      a.sass.begin(), a.sass.end(), b.sass.begin(), b.sass.end(),
      [](const SassRecord& left, const SassRecord& right) { return opcode_of(left.text) == opcode_of(right.text); });
}

bool equal_schedule(const WindowRecord& a, const WindowRecord& b) {
  const bool equal_control_words = std::equal(
      a.sass.begin(), a.sass.end(), b.sass.begin(), b.sass.end(), [](const SassRecord& left, const SassRecord& right) {
        return left.stall_count == right.stall_count && left.yields == right.yields &&
               left.wait_mask == right.wait_mask && left.write_scoreboard == right.write_scoreboard &&
               left.read_scoreboard == right.read_scoreboard;
      });
  return equal_control_words || schedule_of(a) == schedule_of(b);
}

struct WindowPair {
  const WindowRecord* a;
  const WindowRecord* b;
};

// The windows behind a's number that b has too, else those behind b's that a has. None in a table read from a csv.
std::vector<WindowPair> comparable_windows(const CellRecord& a, const CellRecord& b) {
  std::vector<WindowPair> pairs;
  for (const CellRecord* leading : {&a, &b}) {
    for (const WindowRecord* window : backing_windows(*leading)) {
      const WindowPair pair{window_of_role(a, window->role), window_of_role(b, window->role)};
      if (pair.a && pair.b && !pair.a->sass.empty() && !pair.b->sass.empty()) pairs.push_back(pair);
    }
    if (!pairs.empty()) break;
  }
  return pairs;
}

// Null if none changed in this way.
const WindowPair* first_with(CodeChange change, const std::vector<WindowPair>& pairs) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const WindowPair& pair) {
    return !(change == CodeChange::opcodes ? equal_opcodes(*pair.a, *pair.b) : equal_schedule(*pair.a, *pair.b));
  });
  return found == pairs.end() ? nullptr : &*found;
}

}  // namespace

CodeChange code_change(const CellRecord& a, const CellRecord& b) {
  if (a.sass != b.sass) return CodeChange::opcodes;
  const std::vector<WindowPair> pairs = comparable_windows(a, b);
  if (pairs.empty()) return a.static_cycles == b.static_cycles ? CodeChange::none : CodeChange::schedule;
  if (first_with(CodeChange::opcodes, pairs)) return CodeChange::opcodes;
  return first_with(CodeChange::schedule, pairs) ? CodeChange::schedule : CodeChange::none;
}

std::string describe_code_change(const CellRecord& a, const CellRecord& b) {
  if (a.sass != b.sass) return {};
  const std::vector<WindowPair> pairs = comparable_windows(a, b);
  if (const WindowPair* pair = first_with(CodeChange::opcodes, pairs)) {
    return fmt::format("{}: {} → {}", pair->a->role, brief_opcodes(opcodes_of(*pair->a), window_width),
                       brief_opcodes(opcodes_of(*pair->b), window_width));
  }
  const WindowPair* pair = first_with(CodeChange::schedule, pairs);
  if (!pair) return {};
  const std::vector<Issue> a_schedule = schedule_of(*pair->a);
  const std::vector<Issue> b_schedule = schedule_of(*pair->b);
  if (equal_stall_counts(a_schedule, b_schedule)) return fmt::format("{}: other waits or yields", pair->a->role);
  return fmt::format("{}: stall counts {} → {}", pair->a->role, stall_counts_text(a_schedule),
                     stall_counts_text(b_schedule));
}

}  // namespace ptxlat
