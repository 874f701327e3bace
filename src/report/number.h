#pragma once

#include <optional>
#include <string>

namespace ptxlat::report {

// The shortest decimal that reads back as the same double, without exponent, a whole number without point: "4",
// "6.5". Nothing for a missing or not finite number.
std::string decimal(std::optional<double> value);

// The number that the text is, all of it; nothing for a word, a list, or what is not finite.
std::optional<double> number_in(const std::string& text);

// "+3", "-1.5", "0".
std::string signed_decimal(double value);

}  // namespace ptxlat::report
