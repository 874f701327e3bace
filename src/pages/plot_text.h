// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

namespace ptxlat::pages {

// Text for gnuplot. Within single quotes only the quote itself is special.
inline std::string in_quotes(const std::string& text) {
  std::string inside;
  for (const char c : text) {
    if (c == '\'') inside += '\'';
    inside += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return "'" + inside + "'";
}

// "16 MiB", with this many digits.
inline std::string bytes_text(double bytes, int digits = 4) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}g} {}", bytes, digits, units[unit]);
}

}  // namespace ptxlat::pages
