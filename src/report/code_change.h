#pragma once

#include <string>

#include "results/record.h"

namespace ptxlat {

enum class CodeChange { none, opcodes, schedule };

// The same window of two cells, for comparing: the one that stands behind a's number if b has it too, else the one
// behind b's if a has it. Both null where there is no such window, e.g. in a table read from a csv.
struct WindowPair {
  const WindowRecord* a = nullptr;
  const WindowRecord* b = nullptr;
};
WindowPair comparable_windows(const CellRecord& a, const CellRecord& b);

CodeChange code_change(const CellRecord& a, const CellRecord& b);

// What the columns of a comparison do not show: "window CS2R;IADD3;CS2R → CS2R;LOP3;CS2R", "stall counts 2 4 → 2 5",
// "other waits". Empty where they show it all.
std::string describe_code_change(const CellRecord& a, const CellRecord& b);

}  // namespace ptxlat
