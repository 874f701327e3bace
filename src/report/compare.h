#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/outline.h"

namespace ptxlat {

// Why two cells differ (report/code_change.h says what of the machine code counts).
enum class Cause {
  unchanged,
  other_sass,          // the machine code is another one
  other_stall_counts,  // same opcodes, another schedule: stall counts, yields or waits
  same_code,           // same opcodes and schedule, other cycles: hardware, clocks or noise
  other_verdict,       // one side has a number and the other has none, or their verdicts differ
  only_in_a,
  only_in_b,
};
const char* to_string(Cause cause);
// A sentence that says more.
const char* explanation(Cause cause);

// One side of a comparison: some level of a table.
struct Side {
  const Outline* table = nullptr;
  std::optional<int> level;  // empty: the other side's level, or all levels, matched level by level
  std::string label;         // what tells it from the others
  std::string folder;        // where it was read from
};

// One row of a comparison. The pointers are into the tables given and null where that side has no such cell.
struct Difference {
  const CellOutline* a = nullptr;
  const CellOutline* b = nullptr;
  Cause cause = Cause::unchanged;

  const CellRecord& any() const { return a ? a->columns : b->columns; }
};

struct Comparison {
  Side a, b;
  // The numbers are `static`, since one side measured nothing; else `cycles`.
  bool by_schedule = false;
  // Both tables have issue costs; else they are no difference.
  bool with_issue = false;
  std::vector<Difference> rows;               // most interesting first
  std::vector<const CellOutline*> unchanged;  // of a

  // Whether rows of several levels are in it.
  bool has_levels() const { return !a.level && !b.level; }
};

// Rows of a and b matched by ptx, operand and input (and by level where neither side fixes one); largest relative
// change first, then by cause. Rows equal in numbers, code and schedule are unchanged; those of equal cycles and other
// code are in.
Comparison compare(const Side& a, const Side& b);

// A number on both sides.
struct Numbers {
  std::optional<double> a, b;
  std::optional<double> change() const;  // b − a
  std::optional<double> ratio() const;   // b / a where both are positive
};
Numbers headline_of(const Comparison& comparison, const Difference& row);  // cycles, or static
Numbers issue_of(const Comparison& comparison, const Difference& row);
Numbers static_of(const Difference& row);
// The number that the row is there for: the headline, or the issue cost where nothing can depend on the instruction.
Numbers leading_of(const Comparison& comparison, const Difference& row);

// What `--fail-on-change` asks: whether a number changed by so many cycles or more, or, in a row that both sides have,
// came or went. Without a threshold, whether anything changed.
bool has_changed(const Comparison& comparison, const std::optional<double>& cycles);

// All rows together.
struct CauseCounts {
  std::size_t compared = 0;  // rows that both sides have
  std::size_t unchanged = 0;
  std::vector<std::pair<Cause, std::size_t>> causes;  // that occur, in the order of Cause
};
struct Summary {
  CauseCounts total;
  std::vector<std::pair<std::string, CauseCounts>> chapters;  // by name
  std::size_t fewer = 0, more = 0, equal = 0;                 // cycles from a to b
  double median_ratio = 1;
  std::vector<const Difference*> gains, losses;  // of the leading number, largest ratio first
};
Summary summarize(const Comparison& comparison);

}  // namespace ptxlat
