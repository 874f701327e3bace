// SPDX-License-Identifier: Apache-2.0
#include "results/json_scanner.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ptxlat::results {

void JsonScanner::fail(const char* expected) const {
  throw std::invalid_argument(fmt::format("column {}: {} expected", position_ + 1, expected));
}

void JsonScanner::skip_space() {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t' || text_[position_] == '\r' ||
                                      text_[position_] == '\n')) {
    ++position_;
  }
}

bool JsonScanner::skip_if(char c) {
  skip_space();
  if (position_ == text_.size() || text_[position_] != c) return false;
  ++position_;
  return true;
}

bool JsonScanner::skip_word(std::string_view word) {
  skip_space();
  if (!text_.substr(position_).starts_with(word)) return false;
  position_ += word.size();
  return true;
}

void JsonScanner::expect(char c) {
  const char expected[] = {'\'', c, '\'', '\0'};
  if (!skip_if(c)) fail(expected);
}

std::string_view JsonScanner::quoted() {
  expect('"');
  const std::size_t begin = position_;
  for (;;) {
    position_ = text_.find('"', position_);
    if (position_ == std::string_view::npos) {
      position_ = text_.size();
      fail("the end of a string");
    }
    const auto before = text_.substr(begin, position_ - begin);
    const auto backslashes = before.size() - (before.find_last_not_of('\\') + 1);
    if (backslashes % 2 == 0) return text_.substr(begin, position_++ - begin);
    ++position_;
  }
}

std::string JsonScanner::string() {
  const std::string_view text = quoted();
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  try {
    return nlohmann::json::parse(fmt::format("\"{}\"", text)).get<std::string>();
  } catch (const nlohmann::json::exception&) {
    fail("a string");
  }
}

std::string_view JsonScanner::plain_string() {
  const std::string_view text = quoted();
  if (text.find('\\') != std::string_view::npos) fail("a string without escapes");
  return text;
}

std::string_view JsonScanner::string_or_view(std::string& room) {
  const std::size_t begin = position_;
  const std::string_view text = quoted();
  if (text.find('\\') == std::string_view::npos) return text;
  position_ = begin;
  return room = string();
}

double JsonScanner::number() {
  skip_space();
  double value = 0;
  const char* const begin = text_.data() + position_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  // Otherwise infinity and NaN, which JSON does not have, would be accepted.
  if (error != std::errc() || !std::isfinite(value)) fail("a number");
  position_ += static_cast<std::size_t>(end - begin);
  return value;
}

int JsonScanner::integer() {
  const double value = number();
  if (value != std::trunc(value) || std::abs(value) > std::numeric_limits<int>::max()) fail("an integer");
  return static_cast<int>(value);
}

std::optional<double> JsonScanner::number_or_null() {
  if (skip_word("null")) return std::nullopt;
  return number();
}

bool JsonScanner::boolean() {
  if (skip_word("true")) return true;
  if (!skip_word("false")) fail("true or false");
  return false;
}

std::string_view JsonScanner::raw() {
  skip_space();
  const std::size_t begin = position_;
  int depth = 0;
  do {
    if (position_ >= text_.size()) fail("a value");
    switch (text_[position_]) {
      case '"':
        quoted();
        break;
      case '{':
      case '[':
        ++depth;
        ++position_;
        break;
      case '}':
      case ']':
        --depth;
        ++position_;
        break;
      default:
        position_ = depth > 0 ? position_ + 1 : std::min(text_.find_first_of(",}] \t\r\n", position_), text_.size());
    }
  } while (depth > 0);
  if (depth < 0 || position_ == begin) fail("a value");
  return text_.substr(begin, position_ - begin);
}

void JsonScanner::end() {
  skip_space();
  if (position_ != text_.size()) fail("the end");
}

}  // namespace ptxlat::results
