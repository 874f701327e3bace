// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snippet/flow.h"

namespace ptxlat::snippet {

// Gives every value its type: the declared one, or else that of the instructions. A register that only untyped
// instructions use (mov.b32) has their type. Throws Error{usage} if a register would have two widths.
void find_types(Snippet& snippet, const Marks& marks);

}  // namespace ptxlat::snippet
