#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "report/table.h"

namespace ptxlat {

// Why two cells differ.
enum class Cause {
  unchanged,
  other_sass,          // the machine code is another one
  other_stall_counts,  // same opcodes, another schedule
  same_code,           // same opcodes and schedule, other cycles: hardware, clocks or noise
  only_in_a,
  only_in_b,
  other_verdict,  // one side has a number and the other has none
};
const char* to_string(Cause cause);

// One row of a comparison. The pointers are into the tables given and null where that side has no such cell.
struct Difference {
  const CellRecord* a = nullptr;
  const CellRecord* b = nullptr;
  Cause cause = Cause::unchanged;
  double cycles_change = 0;  // b − a; 0 where one of them is missing
};

// One side of a comparison: some level of a table.
struct Side {
  const Table* table = nullptr;
  std::optional<int> level;  // empty: all levels, matched level by level
  std::string label;
};

// Rows of a and b matched by ptx, operand and input (and by level where neither side fixes one), most interesting
// first: largest relative change first within other_sass, other_stall_counts, same_code, other_verdict; then what only
// one side has. Unchanged rows are left out.
std::vector<Difference> compare(const Side& a, const Side& b);

// "add.u32  15 → 4 cycles, SASS 1 → 1, stalls 15 → 4", with a summary first. `markdown` for documents, else for a
// terminal.
void write_comparison(std::ostream& out, const Side& a, const Side& b, const std::vector<Difference>& differences,
                      bool markdown);

}  // namespace ptxlat
