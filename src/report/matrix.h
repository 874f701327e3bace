#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/compare.h"

namespace ptxlat::report {

// From which table on a row differs from the table before, and why. A row that appears is only_in_b, one that
// is gone only_in_a.
struct Step {
  std::size_t table = 0;  // index of the later one
  Cause cause = Cause::unchanged;
};

// One row in all tables, for the operands of which each table has the same cell.
struct MatrixRow {
  std::vector<std::string_view> operands;
  std::vector<const Cell*> cells;  // a table each, null where it has none
  std::vector<Step> steps;         // ascending, at least one

  const results::Record& any() const;
};

// Several tables in a row, each against the one before it: "from which version on".
struct Matrix {
  std::vector<Side> sides;
  std::string_view headline;    // as in Comparison
  std::vector<MatrixRow> rows;  // those with a step, largest relative change of a step first

  bool has_levels() const;
};

Matrix matrix_of(const std::vector<Side>& sides);

// How many rows change from the table before to this one, by cause.
std::vector<std::pair<Cause, std::size_t>> causes_at(const Matrix& matrix, std::size_t table);

}  // namespace ptxlat::report
