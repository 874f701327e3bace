// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/rows.h"

namespace ptxlat::report {

// Rows of one kind of instruction.
struct OverviewGroup {
  std::string name;
  std::vector<Row> rows;
};

// The most wanted instructions of a GPU: arithmetic, special functions, loads by level, atomics, matrices. For each
// instruction in the table, the first operand, with the usual classes of inputs.
std::vector<OverviewGroup> overview_of(const Table& table);

// Roughly how common the instruction is in programs, for ranking: 8 for the forms of the overview, 2 for other PTX, 1
// for CUDA C intrinsics, less for its mathematical functions and for instructions that compilers hardly use any more
// (video instructions, extended precision).
double commonness_of(const results::Record& record);

}  // namespace ptxlat::report
