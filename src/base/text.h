// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptxlat {

// Whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What is between the separators; nothing behind the last one.
inline std::vector<std::string> words_in(const std::string& text, std::string_view separators) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// Of ASCII letters, whatever the locale.
inline std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

// A name for a column of this width, in ASCII.
inline std::string cut_to(const std::string& name, std::size_t width) {
  return name.size() <= width ? name : name.substr(0, width - 1) + "…";
}

using Bytes = std::vector<std::uint8_t>;

// A text from a file, made safe for a terminal: without the control characters that could move the cursor, change the
// window's title or send input as if the user had typed it. Line ends and tabs are kept.
inline std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c0 = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    // U+0080 to U+009F, of which U+009B begins a command just like ESC [.
    const bool is_c1 = byte == 0xc2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    if (is_c1) ++i;
    shown += is_c0 || is_c1 ? '?' : text[i];
  }
  return shown;
}

}  // namespace ptxlat
