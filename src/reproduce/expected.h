// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "latency/reproduction.h"
#include "tables/table.h"

namespace ptxlat::reproduce {

// A number and its expected value.
//   counts       whether a difference is a failure. If launches leave the SM, only the headline counts: the remaining
//                numbers belong to the nearest L2 slice that a few launches happened to hit
//   is_surveyed  the value is the median over the lines and SMs of a survey (latency/samples.h)
enum class Check { nothing, equal, at_least };
struct ExpectedNumber {
  latency::ReproducedNumber number;
  Check check = Check::nothing;
  double value = 0;
  double tolerance = 0;
  bool counts = true;
  bool is_surveyed = false;
};

// The row of a table for one cell: its form, level, operand and class of inputs; the near one if the latency has two
// humps. Null if the table has none.
const tables::Cell* find_cell(const tables::Table& table, const results::Record& cell);

// The roles of the windows that both have and whose machine code is different here, ignoring register names and branch
// addresses.
std::vector<std::string> changed_windows(const results::Record& stored, const results::Record& made);

// How much a number may differ in another process: not at all inside an SM; outside it, by a fiftieth of a survey's
// median, or by as much as the launches spread. `operand`: one of the record's.
double tolerance_of(const results::Record& record, const std::string& operand);

// The cell's numbers that the table also has. `cycles` comes from the same witness as in the table.
std::vector<ExpectedNumber> expected_by_table(const latency::ReproducedCell& cell, const results::Record& stored);

// The assembler's schedule as expected numbers: the number itself if nothing waits or branches, else its lower bound.
std::vector<ExpectedNumber> expected_by_schedule(const latency::ReproducedCell& cell);

}  // namespace ptxlat::reproduce
