// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "latency/plan.h"
#include "tables/table.h"

namespace ptxlat::reproduce {

// A row of a table that is to be measured again.
//   record   everything that the table has about it
//   operand  the first of its operands, which represents them
//   input    its class of inputs, without the name of a hump
struct StoredRow {
  results::Record record;
  std::string operand;
  std::string input;
};

// A random sample of `count` rows that have a number and its machine code, or all of them if there are fewer. The same
// seed gives the same sample.
std::vector<StoredRow> sample_of(const tables::Table& table, std::size_t size, std::uint64_t seed);

// The cells that reproduce the rows' numbers. Rows are left out if the catalogue does not have their form, operand or
// class of inputs.
std::vector<latency::CellPlan> plan_again(const ptx::LoadedCatalogue& loaded, const std::vector<StoredRow>& rows);

// The outcome for a row. Its cycles and its issue cost are compared, each if the table has the machine code of the
// windows behind it and the assembler still generates the same.
//   holds       everything that could be compared is the same, within the tolerance
//   differs     something is not
//   other_code  nothing could be compared: the assembler now generates different machine code
//   gone        the cell no longer has a number, or is not in the catalogue
enum class Outcome { holds, differs, other_code, gone };
struct Replayed {
  Outcome outcome = Outcome::holds;
  std::string what;  // "cycles 4, now 5"; for other_code the windows
};

// `again` is null if nothing was measured for the row.
Replayed compare(const StoredRow& row, const results::Record* again);

}  // namespace ptxlat::reproduce
