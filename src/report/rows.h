#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/page.h"
#include "report/table.h"

namespace ptxlat::report {

// Cells of one ptx and input, and of operands that share them, by level: how tables are laid out for reading.
struct Row {
  std::string operand;                // "a b"
  std::map<int, const Cell*> levels;  // never empty

  const Cell& highest() const { return *levels.rbegin()->second; }
};

// In the order in which the first cell of each stands. Spellings of the same rows are one row, that of the first.
std::vector<Row> rows_of(const std::vector<const Cell*>& cells);
std::vector<Row> rows_of(const std::vector<Cell>& cells);
// All levels that the table has, ascending.
std::vector<int> levels_of(const Table& table);

// What the columns of a table for reading depend on.
struct RowLayout {
  PageFormat format = PageFormat::text;
  std::string_view headline;                      // tag of the number that cells are there for
  std::vector<int> levels;                        // ascending
  std::vector<const results::MetricKind*> shown;  // metrics with a column of their own, at the highest level
};
RowLayout layout_of(const Table& table, PageFormat format);

// Where there is no number the text has "-", and the verdicts in a last column; Markdown has the verdict in its place.
// The measure is in the last column where the number is no dependent latency.
std::vector<Column> columns_of(const RowLayout& layout);
Spans fields_of(const RowLayout& layout, const Row& row);

// "4", "≥17" for a static number that is a lower bound, "(2)" for the issue cost where that is all there is, nothing
// where there is no number.
std::string number_text(std::string_view headline, const Cell& cell);
// Of a proven cell that nothing can depend on, the number that it is there for instead of the headline; else null.
const results::Metric* number_without_latency(const results::Record& record);

// "IMAD×3;IADD3" for a list with repetitions, cut after `limit` characters with the number of opcodes left out. For
// reading only: the csv has them all.
std::string brief_opcodes(const std::vector<std::string>& opcodes, std::size_t limit);

// How many cells there are, and how many of each verdict.
std::string verdict_summary(const std::map<sass::Verdict, std::size_t>& counts);
std::map<sass::Verdict, std::size_t> verdict_counts(const Table& table);
// What the numbers are, in one sentence.
std::string number_legend(const RowLayout& layout);

}  // namespace ptxlat::report
