// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "latency/plan.h"
#include "report/table.h"

namespace ptxlat::reproduce {

// A row of a table that is to be measured again.
//   record   with all that the table knows of it
//   operand  the first of its operands, which stands for them
//   input    its class of inputs; for a row of one of two humps that of both
struct StoredRow {
  results::Record record;
  std::string operand;
  std::string input;
};

// A random sample of the rows that have a number and its machine code: so many, or all if there are fewer. The same
// seed gives the same.
std::vector<StoredRow> sample_of(const report::Table& table, std::size_t size, std::uint64_t seed);

// The cells that make the rows' numbers again. Rows of forms that the catalogue does not have, or not with this operand
// or class of inputs, are left out.
std::vector<latency::CellPlan> plan_again(const ptx::LoadedCatalogue& loaded, const std::vector<StoredRow>& rows);

// What became of a row. Its cycles and its issue cost are compared, each if the table has the machine code of the
// windows that it is made of and the assembler makes the same again.
//   holds       all that could be compared are the same again, within the tolerance
//   differs     one is not
//   other_code  nothing could be compared: the assembler makes other machine code now
//   gone        the cell has no number any more, or is not in the catalogue
enum class Outcome { holds, differs, other_code, gone };
struct Replayed {
  Outcome outcome = Outcome::holds;
  std::string what;  // "cycles 4, now 5"; for other_code the windows
};

// `again` is null where nothing was made for the row.
Replayed compare(const StoredRow& row, const results::Record* again);

}  // namespace ptxlat::reproduce
