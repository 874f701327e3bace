// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "results/record.h"

namespace ptxlat::results {

// Which windows' machine code: all, or, for publishing, that behind the headline.
enum class Code { all, of_headline };

// The windows behind the headline, or behind `issue` if there are none: those that a published table has. In the
// order of the record.
std::vector<const WindowRecord*> published_windows(const Record& record);

}  // namespace ptxlat::results
