// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tables/rows.h"

namespace ptxlat::tables {

// Rows of one kind of instruction.
struct OverviewGroup {
  std::string name;
  std::vector<Row> rows;
};

// The most wanted instructions of a GPU: arithmetic, special functions, loads by level, atomics, matrices. For each
// instruction in the table, the first operand, with the usual classes of inputs.
std::vector<OverviewGroup> overview_of(const Table& table);

// Roughly how common the instruction is in programs, for ranking: 8 for the forms of the overview, 4 for other forms of
// opcodes that compilers emit all the time, 2 for the rest of PTX, 1 for CUDA C intrinsics and for directed rounding,
// 0.5 for mathematical functions and for instructions that hardly any program has (video, extended precision, `mapa`,
// `set`).
double commonness_of(const results::Record& record);

}  // namespace ptxlat::tables
