// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/compare_rows.h"

namespace ptxlat::compare {

// Rows of a comparison that changed in the same way: the same numbers, the same code before and after.
//   text                of the first of them
//   forms               in Markdown, each with its class of input values: "`popc.b32` (denormal)"; PTX before CUDA C
//   same_code           the opcodes, if only their schedule changed and the tables have no windows to show it
//   levels              "O3 O2", the highest first; empty if the sides are levels
//   has_changed_number  otherwise the code is different and all compared numbers are equal
//   score               how interesting it is: how common the instruction is times the number of doublings or halvings;
//                       a fifth of that below -O3
struct KindOfChange {
  RowText text;
  std::vector<std::string> forms;
  std::string same_code;
  std::vector<std::string> levels;
  std::size_t rows = 0;
  bool has_changed_number = false;
  double score = 0;
};

// For the rows that machine code explains, the highest score first.
std::vector<KindOfChange> kinds_of_change(const Comparison& comparison);

}  // namespace ptxlat::compare
