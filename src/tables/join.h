// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tables/table.h"

namespace ptxlat::tables {

// A cell and its column: the side of a comparison, or the level.
struct PlacedCell {
  const Cell* cell = nullptr;
  std::size_t column = 0;
};

// The cells of one ptx and input side by side, for the operands of which each column has the same cell.
struct JoinedRow {
  std::vector<std::string_view> operands;
  std::vector<const Cell*> cells;  // one per column; null if the column has none
};

// Matches cells spelling by spelling and operand by operand, because one table may have one row where a different one
// has several, in the order of the first cell of each row. Spellings with the same rows are one row, that of the first;
// a spelling that is missing in a column is left out if its row has a counterpart there.
//   levels_apart  whether cells of different levels are different rows
std::vector<JoinedRow> join(const std::vector<PlacedCell>& cells, std::size_t columns, bool levels_apart);

}  // namespace ptxlat::tables
