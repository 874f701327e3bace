// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/l2_home.h"

namespace ptxlat::memory {

// Slices: lines of one slice take equally long from every SM, up to noise. l2.slices and l2.slice_granule.
std::vector<results::Fact> find_slices(L2Talk& talk);

}  // namespace ptxlat::memory
