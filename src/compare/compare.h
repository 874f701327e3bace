// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/compare_facts.h"
#include "compare/compare_opcodes.h"
#include "tables/table.h"

namespace ptxlat::compare {

// Why two cells differ (compare/code_change.h says what counts in the machine code).
enum class Cause {
  unchanged,
  other_sass,          // the machine code has different opcodes
  other_stall_counts,  // same opcodes, different schedule: stall counts, yields or waits
  other_consumer,      // same opcodes, timed to different consumers: not a change of the instruction
  same_code,           // same opcodes and schedule, different cycles: hardware, clocks or noise
  other_verdict,       // one side has a number and the other does not, or their verdicts differ
  only_in_a,
  only_in_b,
};
const char* to_string(Cause cause);  // "other_sass", for programs
const char* words(Cause cause);      // "different SASS", for people
// A sentence that says more.
const char* explanation(Cause cause);
// All of them, `unchanged` last.
std::vector<Cause> all_causes();

// One side of a comparison: some level of a table.
struct Side {
  const tables::Table* table = nullptr;
  std::optional<int> level;  // empty: the other side's level, or all levels, matched level by level
  std::string label;         // what distinguishes it from the others
  std::string folder;        // where it was read from
};

// One row of a comparison. The pointers are into the given tables and null if that side has no such cell. Each side's
// cell may have more operands than these, for which the other side has a different cell (tables/join.h).
struct Difference {
  const tables::Cell* a = nullptr;
  const tables::Cell* b = nullptr;
  Cause cause = Cause::unchanged;
  std::vector<std::string_view> operands = {};

  // The record that describes the row: that of a cell with more than a name, if there is one.
  const results::Record& record() const { return a && (!b || !tables::is_listed_only(*a)) ? a->record : b->record; }
};

struct Comparison {
  Side a, b;
  std::string_view headline;  // tag: `static` if one side measured nothing, else `cycles`
  std::vector<const results::MetricKind*>
      others;                    // metrics compared in addition to the headline: those that both tables have
  std::vector<Difference> rows;  // most interesting first
  std::vector<const tables::Cell*> unchanged;  // of a
  std::optional<FactComparison> facts;         // if both tables have facts
  std::optional<OpcodeComparison> opcodes;     // if both tables have opcodes

  // Whether it has rows of several levels.
  bool has_levels() const { return !a.level && !b.level; }
};

// Rows of a and b matched by ptx, operand and input (and by level if neither side fixes one); largest relative change
// first, then by cause. Rows equal in numbers, code and schedule are unchanged; rows with equal cycles but different
// code are listed.
Comparison compare_tables(const Side& a, const Side& b);

// A number on both sides.
struct Numbers {
  std::optional<double> a, b;
  std::optional<double> change() const;  // b − a
  std::optional<double> ratio() const;   // b / a if both are positive
};
Numbers numbers_of(const Difference& row, std::string_view tag);
// The share of the larger number by which two measurements of the row may differ: those of an access that leaves the SM
// are medians over lines and SMs.
inline constexpr double tolerance_of_medians = 0.01;
double tolerance_of(const Difference& row);
Numbers headline_of(const Comparison& comparison, const Difference& row);
// The row's main number: the headline, or the first other one if neither side has it.
Numbers leading_of(const Comparison& comparison, const Difference& row);
// Whether any of the compared numbers differs, is new or is gone.
bool has_changed_number(const Comparison& comparison, const Difference& row);

// The headline of comparisons between these tables.
std::string_view headline_between(const std::vector<Side>& sides);
// All metrics that comparisons show, in the order of their columns: `cycles`, the compared ones and `static`.
std::vector<std::string_view> shown_metrics();

// The test of `--fail-on-change`: whether a number changed by at least this many cycles, or, in a row that both sides
// have, appeared or disappeared, or a fact, latency or hazard in cycles changed by as much. Without a threshold,
// whether anything changed. Numbers up to different consumers do not count.
bool has_changed(const Comparison& comparison, const std::optional<double>& cycles);

// All rows together.
struct CauseCounts {
  std::size_t compared = 0;  // rows that both sides have
  std::size_t unchanged = 0;
  std::vector<std::pair<Cause, std::size_t>> causes;  // those that occur, in the order of Cause
};
struct Summary {
  CauseCounts total;
  std::vector<std::pair<std::string, CauseCounts>> chapters;  // by name
  std::size_t fewer = 0, more = 0, equal = 0;                 // cycles from a to b
  double median_ratio = 1;
  std::vector<const Difference*> gains, losses;  // of the leading number, largest ratio first
};
Summary summarize(const Comparison& comparison);

}  // namespace ptxlat::compare
