// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "compare/compare.h"

namespace ptxlat::compare {

// At which table a row differs from the previous table, and why. A row that appears is only_in_b, one that is gone
// only_in_a.
struct Step {
  std::size_t table = 0;  // index of the later one
  Cause cause = Cause::unchanged;
};

// One row in all tables, for operands that have the same cell in each table.
struct MatrixRow {
  std::vector<std::string_view> operands;
  std::vector<const tables::Cell*> cells;  // one per table, null if it has none
  std::vector<Step> steps;                 // ascending, at least one

  const results::Record& record() const;
};

// Several tables in order, each compared with the previous one, to show which version changed what.
struct Matrix {
  std::vector<Side> sides;
  std::string_view headline;    // as in Comparison
  std::vector<MatrixRow> rows;  // those with a step, largest relative change of a step first

  bool has_levels() const;
};

Matrix matrix_of(const std::vector<Side>& sides);

// The numbers of rows that change from the previous table to this one, by cause.
std::vector<std::pair<Cause, std::size_t>> causes_at(const Matrix& matrix, std::size_t table);

}  // namespace ptxlat::compare
