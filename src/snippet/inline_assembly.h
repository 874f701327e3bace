// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ptxlat::snippet {

// The PTX of CUDA C's inline assembly, as people copy it: `asm volatile("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) :
// "r"(a), "r"(b), "r"(c));`, or its strings alone. An operand has the name of its variable and the type of its
// constraint; outputs are the results. Empty for every other text. Throws Error{usage} if it is not whole.
std::optional<std::string> ptx_of_inline_assembly(const std::string& text);

}  // namespace ptxlat::snippet
