// SPDX-License-Identifier: Apache-2.0
#include "compare/code_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "base/hash.h"
#include "results/json_scanner.h"
#include "results/sass_text.h"
#include "sass/instruction.h"

namespace ptxlat::compare {

namespace {

// The parts of an instruction that can make a difference.
struct CodeLine {
  std::string_view opcode;
  sass::ControlWord control;
};

// Escapes are not processed: both sides were written by the same rules.
std::vector<CodeLine> parse(std::string_view code) {
  std::vector<CodeLine> lines;
  try {
    results::JsonScanner json(code);
    json.array([&] {
      const auto line = results::read_sass_line(json.quoted());
      lines.push_back({sass::opcode_of(line.text), line.control});
    });
  } catch (const std::invalid_argument& error) {
    throw Error(ExitCode::storage, fmt::format("the machine code of a table is damaged: {:.200}", error.what()),
                "Export the table again from its store.");
  }
  return lines;
}

bool is_edge(std::size_t i, std::size_t count) { return i == 0 || i + 2 >= count; }

// When an instruction issues, as far as the code says.
struct IssueTime {
  static constexpr int no_wait = -2;
  int stall_count = 0;
  bool yields = false;
  // The instructions that set the scoreboards it waits for, each once, -1 for one before the window. The
  // numbers of the scoreboards are as arbitrary as those of registers.
  std::array<int, 6> waits_for{no_wait, no_wait, no_wait, no_wait, no_wait, no_wait};

  bool operator==(const IssueTime&) const = default;
};

std::vector<IssueTime> schedule_of(const std::vector<CodeLine>& lines) {
  std::vector<IssueTime> schedule(lines.size());
  std::array<int, 8> setter;
  setter.fill(-1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& control = lines[i].control;
    // Anything that the first clock waits for is over before it reads.
    for (std::size_t scoreboard = 0; i != 0 && scoreboard < 6; ++scoreboard) {
      if (control.wait_mask >> scoreboard & 1) schedule[i].waits_for[scoreboard] = setter[scoreboard];
    }
    auto& waits_for = schedule[i].waits_for;
    std::sort(waits_for.begin(), waits_for.end());
    std::fill(std::unique(waits_for.begin(), waits_for.end()), waits_for.end(), IssueTime::no_wait);
    if (!is_edge(i, lines.size())) {
      schedule[i].stall_count = control.stall_count;
      schedule[i].yields = control.yields;
    }
    setter[control.write_scoreboard & 7] = static_cast<int>(i);
    setter[control.read_scoreboard & 7] = static_cast<int>(i);
  }
  return schedule;
}

bool equal_opcodes(const std::vector<CodeLine>& a, const std::vector<CodeLine>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const CodeLine& left, const CodeLine& right) { return left.opcode == right.opcode; });
}

// The windows behind one side's headline that both sides have, and those of every further compared metric that both
// have. None for a table read from a csv.
std::vector<WindowPair> comparable_windows(const tables::Cell& a, const tables::Cell& b) {
  std::vector<WindowPair> pairs;
  const auto add = [&](const tables::Cell& leading, std::string_view tag) {
    for (const tables::CellWindow* window : tables::windows_of(leading, tag)) {
      const WindowPair pair{tables::window_of_role(a, window->role), tables::window_of_role(b, window->role)};
      if (pair.a && pair.b && !pair.a->code.empty() && !pair.b->code.empty()) pairs.push_back(pair);
    }
  };
  for (const tables::Cell* leading : {&a, &b}) {
    add(*leading,
        leading->record.find(results::metric::cycles) ? results::metric::cycles : results::metric::static_cycles);
    if (!pairs.empty()) break;
  }
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.use.is_compared && b.record.find(kind.tag)) add(a, kind.tag);
  }
  return pairs;
}

std::string brief(const std::vector<CodeLine>& lines, std::size_t begin, std::size_t width) {
  // Between the clocks, which are the same everywhere.
  const std::size_t end = lines.empty() ? 0 : lines.size() - 1;
  std::string text = begin > 1 ? fmt::format("…+{}", begin - 1) : "";
  const auto stall_count = [&](std::size_t i) {
    return is_edge(i, lines.size()) ? std::string() : fmt::format(":{}", lines[i].control.stall_count);
  };
  for (std::size_t i = begin; i < end;) {
    const std::string part = std::string(lines[i].opcode) + stall_count(i);
    std::size_t next = i + 1;
    while (next < end && lines[next].opcode == lines[i].opcode && stall_count(next) == stall_count(i)) ++next;
    const std::string repeated = next - i > 1 ? fmt::format("{}×{}", part, next - i) : part;
    if (i != begin && text.size() + 1 + repeated.size() > width) return fmt::format("{} …+{}", text, end - i);
    text += (text.empty() ? "" : " ") + repeated;
    i = next;
  }
  return text;
}

}  // namespace

CodeChange CodeComparison::change_of(std::string_view a, std::string_view b) {
  if (a == b) return CodeChange::none;
  const auto [entry, is_new] = known_.emplace(std::pair{a.data(), b.data()}, CodeChange::none);
  if (!is_new) return entry->second;
  const std::vector<CodeLine> a_lines = parse(a), b_lines = parse(b);
  if (!equal_opcodes(a_lines, b_lines)) {
    entry->second = CodeChange::opcodes;
  } else if (schedule_of(a_lines) != schedule_of(b_lines)) {
    entry->second = CodeChange::schedule;
  }
  return entry->second;
}

CodeChange CodeComparison::change_of(const tables::Cell& a, const tables::Cell& b) {
  if (a.record.sass != b.record.sass) return CodeChange::opcodes;
  const std::vector<WindowPair> pairs = comparable_windows(a, b);
  const bool equal_numbers =
      a.record.number(results::metric::static_cycles) == b.record.number(results::metric::static_cycles);
  if (pairs.empty()) return equal_numbers ? CodeChange::none : CodeChange::schedule;
  CodeChange change = CodeChange::none;
  for (const WindowPair& pair : pairs) {
    const CodeChange of_pair = change_of(pair.a->code, pair.b->code);
    if (of_pair == CodeChange::opcodes) return of_pair;
    if (of_pair != CodeChange::none) change = of_pair;
  }
  return change;
}

WindowPair CodeComparison::first_changed(CodeChange change, const tables::Cell& a, const tables::Cell& b) {
  for (const WindowPair& pair : comparable_windows(a, b)) {
    if (change_of(pair.a->code, pair.b->code) == change) return pair;
  }
  return {};
}

CodeHash hash_of(std::string_view code) {
  const std::vector<CodeLine> lines = parse(code);
  Hash opcodes, schedule;
  for (const CodeLine& line : lines) opcodes.add(line.opcode);
  for (const IssueTime& time : schedule_of(lines)) {
    schedule.add(time.stall_count);
    schedule.add(time.yields);
    for (const int setter : time.waits_for) schedule.add(setter);
  }
  return {opcodes.value(), schedule.value()};
}

SideBySide side_by_side(const WindowPair& pair, std::size_t width) {
  const std::vector<CodeLine> a = parse(pair.a->code), b = parse(pair.b->code);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t parting = 1;
  while (parting + 2 < shorter && a[parting].opcode == b[parting].opcode &&
         a[parting].control.stall_count == b[parting].control.stall_count) {
    ++parting;
  }
  // One instruction before it for orientation; from the start if that is nearly as short.
  const std::size_t begin = parting <= 3 ? 1 : parting - 1;
  return {brief(a, std::min(begin, a.size()), width), brief(b, std::min(begin, b.size()), width)};
}

std::vector<std::string> code_lines(std::string_view code) {
  std::vector<std::string> lines;
  if (code.empty()) return lines;
  results::JsonScanner json(code);
  json.array([&] { lines.push_back(json.string()); });
  return lines;
}

bool equal_but_for_waits(const WindowPair& pair) {
  const std::vector<CodeLine> a = parse(pair.a->code), b = parse(pair.b->code);
  if (!equal_opcodes(a, b)) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_edge(i, a.size()) && a[i].control.stall_count != b[i].control.stall_count) return false;
  }
  return true;
}

}  // namespace ptxlat::compare
