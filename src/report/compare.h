#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "report/table.h"

namespace ptxlat {

// Why two cells differ. What is compared are the windows that the number was made of, in the same roles on both sides.
// Registers and scoreboard numbers are no difference: opcodes, stall counts, yields and which instruction waits for
// which are. Where a table has no windows (a csv alone), the opcodes and the static number stand in for them.
enum class Cause {
  unchanged,
  other_sass,          // the machine code is another one
  other_stall_counts,  // same opcodes, another schedule: stall counts, yields or waits
  same_code,           // same opcodes and schedule, other cycles: hardware, clocks or noise
  only_in_a,
  only_in_b,
  other_verdict,  // one side has a number and the other has none, or both have none for different reasons
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
  std::optional<int> level;  // empty: the other side's level, or all levels, matched level by level
  std::string label;
};

// Rows of a and b matched by ptx, operand and input (and by level where neither side fixes one), most interesting
// first: largest relative change first within other_sass, other_stall_counts, same_code, other_verdict; then what only
// one side has. Rows equal in number, code and schedule are left out; those of equal cycles and other code are in.
std::vector<Difference> compare(const Side& a, const Side& b);

// The numbers of a row that has one on both sides (measured cycles, or static ones in a static table).
struct Numbers {
  double a = 0;
  double b = 0;
};
std::optional<Numbers> numbers_of(const Side& a, const Side& b, const Difference& row);

// "add.u32  15 → 4 cycles, SASS 1 → 1, stalls 15 → 4", with a summary first. `markdown` for documents, else for a
// terminal.
void write_comparison(std::ostream& out, const Side& a, const Side& b, const std::vector<Difference>& differences,
                      bool markdown);

}  // namespace ptxlat
