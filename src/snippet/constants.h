// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "snippet/text.h"

namespace ptxlat::snippet {

// Makes one number of each constant expression among the operands, as it is written: "(1<<4)|3", "-(4*8)", "2*WARP_SZ"
// (PTX ISA 4.5). The assembler evaluates it.
void join_constants(std::vector<Token>& operands);

}  // namespace ptxlat::snippet
