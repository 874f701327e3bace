// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sass/cubin.h"

namespace ptxlat::sass {

// The kernels that call a function whose address is in a register. The address comes from a table of the module, whose
// other entries belong to the other kernels: what such a kernel's code is depends on them. A kernel's own subroutines
// (of div.s64) are called by their distance and depend on nothing.
std::set<std::string> kernels_that_call_by_address(const std::vector<KernelCode>& kernels);

}  // namespace ptxlat::sass
