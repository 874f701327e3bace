// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::report {

// A row of a table's files: one record for all levels and spellings that have its machine code.
struct TableRow {
  results::Record record;   // of the highest level
  std::vector<int> levels;  // ascending
};

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

// The machine code of a window without its arbitrary parts: register names and branch addresses. Equal texts are the
// same code.
std::string code_shape(const results::WindowRecord& window);

struct SharedRows {
  std::vector<TableRow> rows;
  std::vector<Spelling> spellings;  // in the order of their forms
};

// Lets forms of one opcode whose records have the same machine code at a level share the rows of one of them:
// preferably a core form, then the shortest, then the first alphabetically. Code is the same if it only differs in
// register numbers and branch addresses, in all windows behind the headline. The records are rows already: their
// operands are lists (report/operands.h), and each hump is one (report/humps.h). A form that the target does not
// support gets no row. Rows are in the order of their first records.
SharedRows share_rows(std::vector<results::Record> records);

}  // namespace ptxlat::report
