#include "report/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "report/code_change.h"

namespace ptxlat {

namespace {

Cause cause_of(const Comparison& comparison, const Difference& pair, CodeComparison& code) {
  const Numbers headline = headline_of(comparison, pair), issue = issue_of(comparison, pair);
  if (headline.a.has_value() != headline.b.has_value()) return Cause::other_verdict;
  // Of equal schedules one may be measured and found unstable, and the other not be run.
  const bool verdicts_count = !headline.a || is_static(*comparison.a.table) == is_static(*comparison.b.table);
  if (verdicts_count && pair.a->columns.verdict != pair.b->columns.verdict) return Cause::other_verdict;
  switch (code.change_of(*pair.a, *pair.b)) {
    case CodeChange::opcodes:
      return Cause::other_sass;
    case CodeChange::schedule:
      return Cause::other_stall_counts;
    case CodeChange::none:
      break;
  }
  if (issue.a.has_value() != issue.b.has_value()) return Cause::other_verdict;
  const Numbers schedule = static_of(pair);
  const bool equal = headline.a == headline.b && issue.a == issue.b && schedule.change().value_or(0) == 0;
  if (equal) return Cause::unchanged;
  // Numbers of static tables are stall counts and nothing else, also those whose windows are not there.
  const bool none_measured = is_static(*comparison.a.table) && is_static(*comparison.b.table);
  return none_measured ? Cause::other_stall_counts : Cause::same_code;
}

// How far numbers are apart, the same for twice as fast and twice as slow.
double distance(const Numbers& numbers) {
  if (!numbers.change() || *numbers.change() == 0) return 0;
  const std::optional<double> ratio = numbers.ratio();
  return ratio ? std::abs(std::log(*ratio)) : std::numeric_limits<double>::infinity();
}

void sort_by_interest(Comparison& comparison) {
  struct Interest {
    double change;
    Difference row;
  };
  std::vector<Interest> interests;
  interests.reserve(comparison.rows.size());
  for (const Difference& row : comparison.rows) {
    const double change = std::max(distance(headline_of(comparison, row)), distance(issue_of(comparison, row)));
    interests.push_back({change, row});
  }
  std::stable_sort(interests.begin(), interests.end(), [](const Interest& left, const Interest& right) {
    return left.change != right.change ? left.change > right.change : left.row.cause < right.row.cause;
  });
  std::transform(interests.begin(), interests.end(), comparison.rows.begin(),
                 [](const Interest& interest) { return interest.row; });
}

template <typename Number>
Numbers numbers_of(const Difference& row, Number number) {
  return {row.a ? number(row.a->columns) : std::nullopt, row.b ? number(row.b->columns) : std::nullopt};
}

}  // namespace

const char* to_string(Cause cause) {
  switch (cause) {
    case Cause::unchanged:
      return "unchanged";
    case Cause::other_sass:
      return "other SASS";
    case Cause::other_stall_counts:
      return "other stall counts";
    case Cause::same_code:
      return "same code";
    case Cause::other_verdict:
      return "other verdict";
    case Cause::only_in_a:
      return "only in A";
    case Cause::only_in_b:
      return "only in B";
  }
  return "?";
}

const char* explanation(Cause cause) {
  switch (cause) {
    case Cause::unchanged:
      return "Equal numbers, opcodes and schedule.";
    case Cause::other_sass:
      return "The machine code in the window is another one.";
    case Cause::other_stall_counts:
      return "The same opcodes, scheduled otherwise: other stall counts, yields or waits.";
    case Cause::same_code:
      return "The same opcodes and the same schedule, yet other cycles: the hardware, its clocks or noise.";
    case Cause::other_verdict:
      return "Only one side has a number, or the verdicts differ.";
    case Cause::only_in_a:
      return "B does not have this row.";
    case Cause::only_in_b:
      return "A does not have this row.";
  }
  return "";
}

std::optional<double> Numbers::change() const {
  if (!a || !b) return std::nullopt;
  return *b - *a;
}

std::optional<double> Numbers::ratio() const {
  if (!a || !b || *a <= 0 || *b <= 0) return std::nullopt;
  return *b / *a;
}

Numbers headline_of(const Comparison& comparison, const Difference& row) {
  if (comparison.by_schedule) return static_of(row);
  return numbers_of(row, [](const CellRecord& cell) { return cell.cycles; });
}

Numbers issue_of(const Comparison& comparison, const Difference& row) {
  if (!comparison.with_issue) return {};
  return numbers_of(row, [](const CellRecord& cell) { return cell.issue; });
}

Numbers static_of(const Difference& row) {
  return numbers_of(row, [](const CellRecord& cell) { return cell.static_cycles; });
}

Numbers leading_of(const Comparison& comparison, const Difference& row) {
  const Numbers headline = headline_of(comparison, row);
  return headline.a || headline.b ? headline : issue_of(comparison, row);
}

Comparison compare(const Side& a, const Side& b) {
  Comparison comparison;
  comparison.a = a;
  comparison.b = b;
  comparison.by_schedule = is_static(*a.table) || is_static(*b.table);
  comparison.with_issue = has_issue(*a.table) && has_issue(*b.table);
  const std::optional<int> a_level = a.level ? a.level : b.level;
  const std::optional<int> b_level = b.level ? b.level : a.level;
  const auto key_of_cell = [&](const CellOutline& cell) {
    RowKey key = row_key(cell.columns);
    if (a_level) key.level = 0;
    return key;
  };

  std::unordered_map<RowKey, const CellOutline*, RowKeyHash> unmatched;
  unmatched.reserve(b.table->cells.size());
  for (const CellOutline& cell : b.table->cells) {
    if (!b_level || cell.columns.level == *b_level) unmatched.emplace(key_of_cell(cell), &cell);
  }
  CodeComparison code;
  for (const CellOutline& cell : a.table->cells) {
    if (a_level && cell.columns.level != *a_level) continue;
    const auto found = unmatched.find(key_of_cell(cell));
    if (found == unmatched.end()) {
      comparison.rows.push_back({&cell, nullptr, Cause::only_in_a});
      continue;
    }
    Difference pair{&cell, found->second, Cause::unchanged};
    unmatched.erase(found);
    pair.cause = cause_of(comparison, pair, code);
    if (pair.cause == Cause::unchanged) {
      comparison.unchanged.push_back(&cell);
    } else {
      comparison.rows.push_back(pair);
    }
  }
  for (const CellOutline& cell : b.table->cells) {
    const auto found = unmatched.find(key_of_cell(cell));
    if (found != unmatched.end() && found->second == &cell)
      comparison.rows.push_back({nullptr, &cell, Cause::only_in_b});
  }
  sort_by_interest(comparison);
  return comparison;
}

bool has_changed(const Comparison& comparison, const std::optional<double>& cycles) {
  if (!cycles) return !comparison.rows.empty();
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const Difference& row) {
    if (!row.a || !row.b) return false;
    for (const Numbers& numbers : {headline_of(comparison, row), issue_of(comparison, row)}) {
      if (numbers.a.has_value() != numbers.b.has_value()) return true;
      if (std::abs(numbers.change().value_or(0)) >= *cycles && numbers.a != numbers.b) return true;
    }
    return false;
  });
}

}  // namespace ptxlat
