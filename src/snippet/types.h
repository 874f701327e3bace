// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snippet/flow.h"

namespace ptxlat::snippet {

// Gives every value its type: what is declared or marked, else what the instructions say. A register that only untyped
// instructions use (mov.b32) has their type. Throws Error{usage} where a register would have two widths.
void find_types(Snippet& snippet, const Marks& marks);

}  // namespace ptxlat::snippet
