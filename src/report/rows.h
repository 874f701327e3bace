#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/table.h"

namespace ptxlat {

// Cells of one ptx, operand and input, by level: how tables are laid out for reading.
struct Row {
  std::map<int, const CellRecord*> levels;  // never empty

  const CellRecord& highest() const { return *levels.rbegin()->second; }
};

// In the order in which the table has the first cell of each.
std::vector<Row> rows_of(const Table& table);
// All levels that the table has, ascending.
std::vector<int> levels_of(const Table& table);

// "4", "≥17" for a static number that is a lower bound, "(2)" for the issue cost where that is all there is, nothing
// where there is no number.
std::string number_text(const Table& table, const CellRecord& cell);

// Whether any cell has an issue cost: tables of format 1 and static ones have none.
bool has_issue(const Table& table);

// How many cells there are, and how many of each verdict.
std::string verdict_summary(const Table& table);
// What the numbers are, in one sentence.
std::string number_legend(const Table& table);

}  // namespace ptxlat
