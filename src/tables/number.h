// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ptxlat::tables {

// The shortest decimal that reads back as the same double, without exponent, a whole number without point: "4", "6.5".
// Empty for a missing or non-finite number.
std::string decimal(std::optional<double> value);

// The same with three digits behind the point, rounded: all that a measured number has to say.
std::string three_digits(std::optional<double> value);

// The number if the whole text is one; empty for a word, a list, or a non-finite number.
std::optional<double> number_in(const std::string& text);

// "+3", "-1.5", "0".
std::string signed_decimal(double value);

}  // namespace ptxlat::tables
