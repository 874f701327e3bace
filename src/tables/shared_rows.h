// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/record.h"
#include "tables/row_outline.h"

namespace ptxlat::tables {

// The place of a form's number at one level, a line of forms.csv.gz.
//   row     the ptx of the rows with this form's code, its own or a different form's; empty if it has none
//   reason  why there is no number: a verdict; empty if there is a number
//   note    for a form without a row, what it needs or the assembler's message
struct Spelling {
  std::string ptx;
  int level = 0;
  std::string row;
  std::string reason;
  std::string note = {};

  bool operator==(const Spelling&) const = default;
};

//   outline  the number of that of its highest level
//   levels   ascending
struct SharedRow {
  std::size_t outline = 0;
  std::vector<int> levels;
};

struct SharedRows {
  std::vector<SharedRow> rows;
  std::vector<Spelling> spellings;  // in the order of their forms
};

// Lets forms of one opcode with the same machine code at a level share the rows of one of them: preferably a core form,
// then the shortest, then the first alphabetically. Code is the same if it only differs in register numbers and branch
// addresses, in all windows behind the headline. A form that the target does not support gets no row. Rows are in the
// order of their first outlines.
SharedRows share_rows(const std::vector<RowOutline>& outlines);

}  // namespace ptxlat::tables
