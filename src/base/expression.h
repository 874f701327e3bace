// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ptxlat {

// The value of each name that an expression may use.
using Names = std::map<std::string, std::int64_t>;
using RealNames = std::map<std::string, double>;

// Arithmetic as data files write it: whole numbers (decimal, with KiB, MiB or GiB after them), names, + - * /,
// min(a, b), max(a, b) and parentheses. std::invalid_argument says what is wrong: an unknown name, a division by zero,
// a number that is too large, unreadable text.
std::int64_t evaluate(std::string_view expression, const Names& names);  // 7 / 2 is 3
double evaluate_real(std::string_view expression, const RealNames& names);

}  // namespace ptxlat
