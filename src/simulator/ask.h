// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "simulator/target.h"
#include "tables/folder.h"

namespace ptxlat::simulator {

// A row with the figure that a query asks for.
//   file, row  where it stands: "latency.csv", "fma.rn.f32, operand a, O3"
//   value      the figure as its file has it, or the word
struct Found {
  std::string file, row, value, unit;
};

//   found    the row that gives the figure: the first of those that have it
//   matches  how many rows the query matched
struct Answer {
  Found found;
  std::size_t matches = 0;
};

// The parts of a table that queries are answered from: all that has no machine code.
inline constexpr std::initializer_list<tables::Part> asked_parts{tables::Part::rows, tables::Part::facts,
                                                                 tables::Part::opcodes};
// An answer, or a sentence that says why there is none.
std::variant<Answer, std::string> ask(const Query& query, const tables::Table& table);

}  // namespace ptxlat::simulator
