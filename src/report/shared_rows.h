#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::report {

// A row of a table's files: one record for all the levels, and all the spellings, at which its machine code stands.
struct TableRow {
  results::Record record;   // of the highest level
  std::vector<int> levels;  // ascending
};

// Where the number of a form is at one level, a line of forms.csv.gz.
//   row     the ptx of the rows whose code is this form's, its own or another's; empty where it has none
//   reason  why there is no number: a verdict; empty where there is one
//   note    of a form without a row, what it needs or what was said of it
struct Spelling {
  std::string ptx;
  int level = 0;
  std::string row;
  std::string reason;
  std::string note = {};

  bool operator==(const Spelling&) const = default;
};

// The machine code of a window but for what is arbitrary in it: the names of registers and the addresses of branches.
// Equal texts are the same code.
std::string code_shape(const results::WindowRecord& window);

struct SharedRows {
  std::vector<TableRow> rows;
  std::vector<Spelling> spellings;  // in the order in which their forms come
};

// Gives forms of one opcode whose records have the same machine code at a level the rows of one of them: of a form of
// the core, of the shortest, of the first in the alphabet. The same code is the same but for the names of registers and
// the addresses of branches, in all windows that the headline was made of. The records are rows already: their operands
// are lists (report/operands.h), and each hump is one (report/humps.h). A form that the target does not have gets no
// row. Rows are in the order in which their first record stands.
SharedRows share_rows(const std::vector<results::Record>& records);

}  // namespace ptxlat::report
