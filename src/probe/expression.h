// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ptxlat::probe {

// The value of each name that an expression may use: the axes of a point and what the probe defines.
using Names = std::map<std::string, std::int64_t>;

// Integer arithmetic as probe files write it: numbers (decimal, with KiB, MiB or GiB after them), names, + - * /,
// min(a, b), max(a, b) and parentheses. std::invalid_argument says what is wrong: an unknown name, a division by zero,
// unreadable text.
std::int64_t evaluate(std::string_view expression, const Names& names);

}  // namespace ptxlat::probe
