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

// What is asked first of a GPU: arithmetic, special functions, loads by level, atomics, matrices. Of each instruction
// that the table has, the first operand, with the usual classes of inputs.
std::vector<OverviewGroup> overview_of(const Table& table);

// How often programs have the instruction, roughly, for ranking what is said of many: 8 for the forms of the overview,
// 2 for other PTX, 1 for CUDA C's intrinsics, less for its mathematical functions and for what compilers hardly use any
// more (video instructions, extended precision).
double commonness_of(const results::Record& record);

}  // namespace ptxlat::report
