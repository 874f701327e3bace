#pragma once

#include <optional>

#include "sass/window.h"

namespace ptxlat::sass {

// How many registers the instructions between the clocks read from the bank that they read most of. Since Volta there
// are two, of even and of odd numbers, and each gives one register of a warp a cycle (method.md, "The issue cost").
// Nothing where the code does not tell: before Volta; where operands are kept for reuse; and where scoreboards are set,
// because such instructions read their operands when they like.
std::optional<int> reads_of_busiest_bank(const Window& window);

}  // namespace ptxlat::sass
