#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace ptxlat::report {

// A cell and where it goes: the side of a comparison, or the level, that it is of.
struct PlacedCell {
  const Cell* cell = nullptr;
  std::size_t column = 0;
};

// The cells of one ptx and input side by side, for the operands of which each column has the same cell.
struct JoinedRow {
  std::vector<std::string_view> operands;
  std::vector<const Cell*> cells;  // one a column; null where that has none
};

// Matches cells spelling by spelling and operand by operand, because one table may have a row for what has several in
// another, in the order in which the first cell of each row stands. Spellings that meet the same rows are one row, that
// of the first; one that is missing in a column is left out where its row has met another there.
//   levels_apart  whether cells of different levels are different rows
std::vector<JoinedRow> join(const std::vector<PlacedCell>& cells, std::size_t columns, bool levels_apart);

}  // namespace ptxlat::report
