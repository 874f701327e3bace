// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "latency/reproduction.h"
#include "report/table.h"

namespace ptxlat::reproduce {

// A number and what is expected of it.
//   counts       whether a difference is a failure. Where launches leave the SM only the headline counts: the rest are
//                of the nearest slice of L2 that a few launches happened to find
//   is_surveyed  the value is the median over the lines and SMs of a survey (latency/survey.h)
enum class Check { nothing, equal, at_least };
struct ExpectedNumber {
  latency::ReproducedNumber number;
  Check check = Check::nothing;
  double value = 0;
  double tolerance = 0;
  bool counts = true;
  bool is_surveyed = false;
};

// The row of a table for one cell: its form, level, operand and class of inputs; of a latency in two humps the near
// one. Null if it has none.
const report::Cell* find_cell(const report::Table& table, const results::Record& cell);

// The roles of the windows that both have and whose machine code is another one here, registers' names and branches'
// addresses aside.
std::vector<std::string> changed_windows(const results::Record& stored, const results::Record& made);

// By how much a number of another process may differ: nothing in one SM; where launches leave it, a fiftieth of a
// survey's median, or as much as the launches spread over. `operand`: one of the record's.
double tolerance_of(const results::Record& record, const std::string& operand);

// The cell's numbers that the table has too. `cycles` is made by the witness that it was made by there.
std::vector<ExpectedNumber> expected_by_table(const latency::ReproducedCell& cell, const results::Record& stored);

// What the assembler's schedule says: the number itself where nothing waits and nothing branches, else the least.
std::vector<ExpectedNumber> expected_by_schedule(const latency::ReproducedCell& cell);

}  // namespace ptxlat::reproduce
