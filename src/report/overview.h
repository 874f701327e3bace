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

}  // namespace ptxlat::report
