// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "compare/code_change.h"
#include "tables/join.h"

namespace ptxlat::compare {

namespace {

template <class Differ>
bool any_differs(const Comparison& comparison, const Difference& pair, Differ differ) {
  return std::any_of(comparison.others.begin(), comparison.others.end(),
                     [&](const results::MetricKind* kind) { return differ(numbers_of(pair, kind->tag)); });
}
bool is_on_one_side(const Numbers& numbers) { return numbers.a.has_value() != numbers.b.has_value(); }
bool is_unequal(const Numbers& numbers, double tolerance) {
  if (!numbers.a || !numbers.b) return is_on_one_side(numbers);
  return std::abs(*numbers.a - *numbers.b) > tolerance * std::max(std::abs(*numbers.a), std::abs(*numbers.b));
}

bool have_different_consumers(const results::Record& a, const results::Record& b) {
  return a.sass == b.sass && !a.consumer.empty() && !b.consumer.empty() && a.consumer != b.consumer;
}

Cause cause_of(const Comparison& comparison, const Difference& pair, CodeComparison& code) {
  const Numbers headline = headline_of(comparison, pair);
  if (is_on_one_side(headline)) return Cause::other_verdict;
  // With equal schedules, one may be measured and found unstable, and the other not be run.
  const bool verdicts_count =
      !headline.a || tables::is_static(*comparison.a.table) == tables::is_static(*comparison.b.table);
  if (verdicts_count && pair.a->record.verdict != pair.b->record.verdict) return Cause::other_verdict;
  if (have_different_consumers(pair.a->record, pair.b->record)) return Cause::other_consumer;
  switch (code.change_of(*pair.a, *pair.b)) {
    case CodeChange::opcodes:
      return Cause::other_sass;
    case CodeChange::schedule:
      return Cause::other_stall_counts;
    case CodeChange::none:
      break;
  }
  if (any_differs(comparison, pair, is_on_one_side)) return Cause::other_verdict;
  const Numbers schedule = numbers_of(pair, results::metric::static_cycles);
  const bool equal = !has_changed_number(comparison, pair) && schedule.change().value_or(0) == 0;
  if (equal) return Cause::unchanged;
  // Numbers of static tables are only stall counts, even without windows.
  const bool none_measured = tables::is_static(*comparison.a.table) && is_static(*comparison.b.table);
  return none_measured ? Cause::other_stall_counts : Cause::same_code;
}

// The size of a change, equal for twice as fast and twice as slow.
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
  for (Difference& row : comparison.rows) {
    double change = distance(headline_of(comparison, row));
    for (const results::MetricKind* kind : comparison.others)
      change = std::max(change, distance(numbers_of(row, kind->tag)));
    interests.push_back({change, std::move(row)});
  }
  std::stable_sort(interests.begin(), interests.end(), [](const Interest& left, const Interest& right) {
    return left.change != right.change ? left.change > right.change : left.row.cause < right.row.cause;
  });
  std::transform(interests.begin(), interests.end(), comparison.rows.begin(),
                 [](Interest& interest) { return std::move(interest.row); });
}

// Facts have many units, and only those in cycles can have changed by a number of cycles.
bool has_changed(const FactComparison& facts, double cycles) {
  return std::any_of(facts.rows.begin(), facts.rows.end(), [&](const FactDifference& row) {
    const auto change = change_of(row);
    return change && row.either().fact.unit == "cycles" && std::abs(*change) >= cycles;
  });
}

bool has_changed(const OpcodeComparison& opcodes) {
  return !opcodes.rows.empty() || !opcodes.only_in_a.empty() || !opcodes.only_in_b.empty();
}

bool has_changed(const OpcodeComparison& opcodes, double cycles) {
  return std::any_of(opcodes.rows.begin(), opcodes.rows.end(), [&](const OpcodeDifference& row) {
    const auto change = row.change();
    return change && (row.quantity == "latency" || row.quantity == "hazard") && std::abs(*change) >= cycles;
  });
}

}  // namespace

namespace {

struct NamedCause {
  Cause cause = Cause::unchanged;
  const char *name = nullptr, *words = nullptr, *explanation = nullptr;
};
// In the order of the enumeration.
constexpr std::array<NamedCause, 8> named_causes{{
    {Cause::unchanged, "unchanged", "unchanged", "Equal numbers, opcodes and schedule."},
    {Cause::other_sass, "other_sass", "different SASS", "The machine code in the window has different opcodes."},
    {Cause::other_stall_counts, "other_stall_counts", "different schedule",
     "The same opcodes with different stall counts, yields or waits."},
    {Cause::other_consumer, "other_consumer", "different consumer", "The same opcodes, timed to different consumers."},
    {Cause::same_code, "same_code", "same code",
     "The same opcodes and schedule, but different cycles: the hardware, its clocks or noise."},
    {Cause::other_verdict, "other_verdict", "different verdict", "Only one side has a number, or the verdicts differ."},
    {Cause::only_in_a, "only_in_a", "only in A", "B does not have this row."},
    {Cause::only_in_b, "only_in_b", "only in B", "A does not have this row."},
}};
const NamedCause& named(Cause cause) { return named_causes[static_cast<std::size_t>(cause)]; }

}  // namespace

const char* to_string(Cause cause) { return named(cause).name; }
const char* words(Cause cause) { return named(cause).words; }
const char* explanation(Cause cause) { return named(cause).explanation; }

std::vector<Cause> all_causes() {
  std::vector<Cause> causes;
  for (const auto& one : named_causes) causes.push_back(one.cause);
  std::rotate(causes.begin(), causes.begin() + 1, causes.end());
  return causes;
}

std::optional<double> Numbers::change() const {
  if (!a || !b) return std::nullopt;
  return *b - *a;
}

std::optional<double> Numbers::ratio() const {
  if (!a || !b || *a <= 0 || *b <= 0) return std::nullopt;
  return *b / *a;
}

Numbers numbers_of(const Difference& row, std::string_view tag) {
  return {row.a ? row.a->record.number(tag) : std::nullopt, row.b ? row.b->record.number(tag) : std::nullopt};
}

double tolerance_of(const Difference& row) {
  const auto has = [](const tables::Cell* cell) {
    return cell != nullptr && cell->record.find(results::metric::median) != nullptr;
  };
  return has(row.a) && has(row.b) ? tolerance_of_medians : 0;
}

Numbers headline_of(const Comparison& comparison, const Difference& row) {
  return numbers_of(row, comparison.headline);
}

Numbers leading_of(const Comparison& comparison, const Difference& row) {
  const Numbers headline = headline_of(comparison, row);
  if (headline.a || headline.b) return headline;
  for (const results::MetricKind* kind : comparison.others) {
    if (const Numbers numbers = numbers_of(row, kind->tag); numbers.a || numbers.b) return numbers;
  }
  return {};
}

bool has_changed_number(const Comparison& comparison, const Difference& row) {
  const auto differs = [tolerance = tolerance_of(row)](const Numbers& numbers) {
    return is_unequal(numbers, tolerance);
  };
  return differs(headline_of(comparison, row)) || any_differs(comparison, row, differs);
}

std::string_view headline_between(const std::vector<Side>& sides) {
  const bool any_static =
      std::any_of(sides.begin(), sides.end(), [](const Side& side) { return tables::is_static(*side.table); });
  return any_static ? results::metric::static_cycles : results::metric::cycles;
}

std::vector<std::string_view> shown_metrics() {
  std::vector<std::string_view> tags = {results::metric::cycles};
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.use.is_compared) tags.push_back(kind.tag);
  }
  tags.push_back(results::metric::static_cycles);
  return tags;
}

Comparison compare_tables(const Side& a, const Side& b) {
  Comparison comparison;
  comparison.a = a;
  comparison.b = b;
  comparison.headline = headline_between({a, b});
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.use.is_compared && has_metric(*a.table, kind.tag) && has_metric(*b.table, kind.tag)) {
      comparison.others.push_back(&kind);
    }
  }
  if (a.table != b.table && !a.table->facts.empty() && !b.table->facts.empty())
    comparison.facts = compare_facts(a.table->facts, b.table->facts);
  if (a.table != b.table && !a.table->opcodes.opcodes.empty() && !b.table->opcodes.opcodes.empty())
    comparison.opcodes = compare_opcodes(a.table->opcodes, b.table->opcodes);
  // Probes or opcodes without a table of instructions: every row of the other side would be new or gone.
  if ((comparison.facts || comparison.opcodes) && (a.table->cells.empty() || b.table->cells.empty())) return comparison;
  const std::optional<int> a_level = a.level ? a.level : b.level;
  const std::optional<int> b_level = b.level ? b.level : a.level;
  std::vector<tables::PlacedCell> cells;
  const auto place = [&](const Side& side, std::optional<int> level, std::size_t column) {
    for (const tables::Cell& cell : side.table->cells) {
      if (!level || cell.record.level == *level) cells.push_back({&cell, column});
    }
  };
  place(a, a_level, 0);
  place(b, b_level, 1);

  CodeComparison code;
  for (tables::JoinedRow& joined : tables::join(cells, 2, !a_level)) {
    Difference row{joined.cells[0], joined.cells[1], Cause::only_in_a, std::move(joined.operands)};
    if (row.a == nullptr) row.cause = Cause::only_in_b;
    if (row.a != nullptr && row.b != nullptr) row.cause = cause_of(comparison, row, code);
    if (row.cause == Cause::unchanged) {
      comparison.unchanged.push_back(row.a);
    } else {
      comparison.rows.push_back(std::move(row));
    }
  }
  sort_by_interest(comparison);
  return comparison;
}

bool has_changed(const Comparison& comparison, const std::optional<double>& cycles) {
  const auto counts = [](const Difference& row) { return row.cause != Cause::other_consumer; };
  if (!cycles)
    return std::any_of(comparison.rows.begin(), comparison.rows.end(), counts) ||
           (comparison.facts && !comparison.facts->rows.empty()) ||
           (comparison.opcodes && has_changed(*comparison.opcodes));
  if (comparison.facts && has_changed(*comparison.facts, *cycles)) return true;
  if (comparison.opcodes && has_changed(*comparison.opcodes, *cycles)) return true;
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const Difference& row) {
    if (!row.a || !row.b || !counts(row)) return false;
    const auto has_come_far = [&](const Numbers& numbers) {
      if (is_on_one_side(numbers)) return true;
      return is_unequal(numbers, tolerance_of(row)) && std::abs(numbers.change().value_or(0)) >= *cycles;
    };
    if (has_come_far(headline_of(comparison, row))) return true;
    return std::any_of(comparison.others.begin(), comparison.others.end(),
                       [&](const results::MetricKind* kind) { return has_come_far(numbers_of(row, kind->tag)); });
  });
}

}  // namespace ptxlat::compare
