// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sass/window.h"

namespace ptxlat::sass {

// How many registers the instructions between the clocks read from their busiest bank. Since Volta there are two banks,
// of even and of odd registers, and each delivers one register of a warp per cycle (method.md, "The issue cost"). Empty
// if the code does not show it: before Volta; if operands are kept for reuse; and if scoreboards are set, because such
// instructions read their operands at any time.
std::optional<int> reads_of_busiest_bank(const Window& window);

}  // namespace ptxlat::sass
