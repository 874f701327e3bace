// SPDX-License-Identifier: Apache-2.0
#include "report/number.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ptxlat::report {

std::string decimal(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  if (*value == 0) return "0";    // also for a negative zero
  std::array<char, 1100> digits;  // the smallest double has 1074 decimals
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), *value, std::chars_format::fixed);
  return std::string(digits.data(), end);
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string signed_decimal(double value) {
  std::string text = decimal(value);
  if (value > 0) text.insert(text.begin(), '+');
  return text;
}

}  // namespace ptxlat::report
