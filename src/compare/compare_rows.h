// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/code_change.h"
#include "compare/compare.h"
#include "compare/matrix.h"
#include "tables/page.h"

namespace ptxlat::compare {

// A row of a comparison as text, for all formats for people.
struct RowText {
  std::string ptx, operand, input, opt;
  std::string cycles;               // "15 → 4", "17 → unsupported"; a single number if both are equal
  std::string change;               // "-11 (×0.267)" of the leading number
  std::vector<std::string> others;  // for the metrics compared in addition to the headline
  std::string schedule;             // `static`
  std::string sass_count;           // "2 → 1"
  std::string cause;
  std::string remark;  // anything that the numbers and the code do not show
  std::string role;    // of the window that `code` shows, "SASS" if there are only the opcodes
  SideBySide code;     // empty if the code is the same
};
// `width`: characters for the code of one side.
RowText row_text(const Comparison& comparison, const Difference& row, CodeComparison& code, std::size_t width);

// "add.u32 15 → 4, popc.b32 (denormal) 17 → 16": the first few of a summary's gains or losses, each form once.
std::string extremes_text(const Comparison& comparison, const std::vector<const Difference*>& rows);

// "3917 different SASS, 57 different verdict"
std::string causes_text(const std::vector<std::pair<Cause, std::size_t>>& causes);

// "ptxas-12.4.131: different SASS; ptxas-13.0.88: gone"
std::string steps_text(const Matrix& matrix, const MatrixRow& row);

// Column heads of the metrics compared in addition to the headline.
std::vector<tables::Heading> other_columns(const Comparison& comparison);

// The cell's number in a comparison, or its verdict; "-" for no cell.
std::string value_text(std::string_view headline, const tables::Cell* cell);

}  // namespace ptxlat::compare
