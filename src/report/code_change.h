#pragma once

#include <string>

#include "results/record.h"

namespace ptxlat {

enum class CodeChange { none, opcodes, schedule };

// What the machine code that the numbers were made of changed into. The edges of a window belong to the skeleton and
// are taken off every number (sass/window.h, StaticSchedule::edge_cycles), so their stall counts are no difference.
CodeChange code_change(const CellRecord& a, const CellRecord& b);

// What the columns of a comparison do not show: "chain: CS2R;IADD3;CS2R → CS2R;LOP3;CS2R",
// "differential: stall counts 4 → 5", "chain: other waits or yields". Empty where they show it all.
std::string describe_code_change(const CellRecord& a, const CellRecord& b);

}  // namespace ptxlat
