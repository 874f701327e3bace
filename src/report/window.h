#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat {

// The window whose machine code stands behind the cell's number: the differential one if that witness has a number,
// else the shortest chain. Where no witness was run (a static table), the first proven of these. Null if the cell has
// none of them.
const WindowRecord* backing_window(const CellRecord& cell);
const WindowRecord* window_of_role(const CellRecord& cell, const std::string& role);

// "IADD3.X" of "@!P0 IADD3.X R0, R2, R3, RZ".
std::string opcode_of(const std::string& sass_text);

std::vector<std::string> opcodes_of(const WindowRecord& window);

// "IMAD×3;IADD3" for a list with repetitions, cut after `limit` characters with the number of opcodes left out. For
// reading only: the csv has them all.
std::string brief_opcodes(const std::vector<std::string>& opcodes, std::size_t limit);

}  // namespace ptxlat
