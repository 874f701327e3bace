// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "isa/toml.h"

namespace ptxlat::isa {

namespace {

// The end of the string that begins at `at`, after its quotes.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = quote == '"' ? R"(""")" : "'''";
  const bool is_long = text.substr(at, 3) == three;
  const std::string_view end = is_long ? three : three.substr(0, 1);
  for (at += end.size(); at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text.substr(at, end.size()) == end || (!is_long && text[at] == '\n')) {
      return at + end.size();
    }
  }
  return text.size();
}

// The line, from 1, of a key of more parts than this; 0 if there is none. toml++ limits the depth of values itself, but
// not that of dotted keys, each part of which is a table within a table.
std::uint32_t line_of_deep_key(std::string_view text, int most_parts) {
  std::uint32_t line = 1;
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '"' || c == '\'') {
      end = end_of_string(text, at);
    } else if (c == '#') {
      end = std::min(text.find('\n', at), text.size());
    } else if (c == '.') {
      if (++dots >= most_parts) return line;
    } else if (std::string_view("\n=,{}[]").find(c) != std::string_view::npos) {
      dots = 0;
    }
    for (; at < std::min(end, text.size()); ++at) line += text[at] == '\n' ? 1 : 0;
  }
  return 0;
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& name) {
  constexpr int most_parts = 16;
  if (const auto line = line_of_deep_key(text, most_parts); line != 0)
    throw toml::parse_error("a key has too many parts", toml::source_position{line, 1});
  try {
    return toml::parse(text, name);
  } catch (const std::logic_error&) {  // see toml.cpp
    throw toml::parse_error("this is so far from TOML that its parser cannot say where", toml::source_position{1, 1});
  }
}

}  // namespace ptxlat::isa
