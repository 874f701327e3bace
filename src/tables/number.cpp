// SPDX-License-Identifier: Apache-2.0
#include "tables/number.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ptxlat::tables {

std::string decimal(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  if (*value == 0) return "0";    // also for a negative zero
  std::array<char, 1100> digits;  // the smallest double has 1074 decimals
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), *value, std::chars_format::fixed);
  return std::string(digits.data(), end);
}

std::string three_digits(std::optional<double> value) {
  constexpr double finest = 1000;
  return value ? decimal(std::round(*value * finest) / finest) : std::string();
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string signed_decimal(double value) {
  // What is left of a difference of decimals is noise: 117.446 − 121.396 is -3.95.
  constexpr double finest = 1e9;
  std::string text = decimal(std::round(value * finest) / finest);
  if (value > 0) text.insert(text.begin(), '+');
  return text;
}

}  // namespace ptxlat::tables
