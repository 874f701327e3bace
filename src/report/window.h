#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"
#include "sass/instruction.h"

namespace ptxlat {

// The roles of the windows that the cell's number was made of: those of the chain or those of the differential,
// whichever has the value of `cycles` (the chain where both have). Where nothing was measured, the chain's if they are
// proven, else the differential's.
std::vector<std::string_view> backing_roles(const CellRecord& columns, bool chain_is_proven, bool has_bridge);

// Those of them that the cell has.
std::vector<const WindowRecord*> backing_windows(const CellRecord& cell);

// Null if the cell has none.
const WindowRecord* window_of_role(const CellRecord& cell, std::string_view role);

// "IMAD×3;IADD3" for a list with repetitions, cut after `limit` characters with the number of opcodes left out. For
// reading only: the csv has them all.
std::string brief_opcodes(const std::vector<std::string>& opcodes, std::size_t limit);

}  // namespace ptxlat
