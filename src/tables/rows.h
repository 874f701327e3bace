// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tables/page.h"
#include "tables/table.h"

namespace ptxlat::tables {

// Cells of one ptx and input, and of operands that share them, by level: the layout of tables for people.
struct Row {
  std::string operand;                // "a b"
  std::map<int, const Cell*> levels;  // never empty

  const Cell& highest() const { return *levels.rbegin()->second; }
};

// In the order of the first cell of each. Spellings with the same rows are one row, that of the first.
std::vector<Row> rows_of(const std::vector<const Cell*>& cells);
std::vector<Row> rows_of(const std::vector<Cell>& cells);
// All levels that the table has, ascending.
std::vector<int> levels_of(const Table& table);

// Determines the columns of a table for people.
struct RowLayout {
  PageFormat format = PageFormat::text;
  std::string_view headline;                      // tag of the cells' main number
  std::vector<int> levels;                        // ascending
  std::vector<const results::MetricKind*> shown;  // metrics with their own column, at the highest level
};
RowLayout layout_of(const Table& table, PageFormat format);

// If there is no number, the text has "-", and the verdicts in a last column; Markdown has the verdict in its place.
// The measure is in the last column if the number is not a dependent latency.
std::vector<Heading> columns_of(const RowLayout& layout);
Spans fields_of(const RowLayout& layout, const Row& row);

// "4", "≥17" for a static number that is a lower bound, "(2)" if there is only an issue cost, empty if there is no
// number.
std::string number_text(std::string_view headline, const Cell& cell);
// What stands before the schedule's number: "≥" if it is a lower bound, "~" if it is the straight line of code that
// branches, which a program may leave.
std::string mark_of_static(const results::Record& record, bool is_lower_bound);
// For a proven cell that nothing can depend on, its number instead of a headline; else null.
const results::Metric* number_without_latency(const results::Record& record);

// "IMAD×3;IADD3" for a list with repetitions, cut after `limit` characters with the number of opcodes left out. For
// people only: the csv has them all.
std::string brief_opcodes(const std::vector<std::string>& opcodes, std::size_t limit);

// How many cells there are, and how many of each verdict.
std::string verdict_summary(const std::map<sass::Verdict, std::size_t>& counts);
std::map<sass::Verdict, std::size_t> verdict_counts(const Table& table);
// One sentence that says what the numbers are.
std::string number_legend(const RowLayout& layout);

}  // namespace ptxlat::tables
