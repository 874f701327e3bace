// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/record.h"

namespace ptxlat::pages {

// A window for people: role, verdict, schedule, cycles, and its machine code with control words, one instruction per
// line. Begins with an empty line.
std::string window_text(const results::WindowRecord& window);

}  // namespace ptxlat::pages
