// SPDX-License-Identifier: Apache-2.0
#include "probe/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ptxlat::probe {

namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> units = {
    {{"KiB", std::int64_t{1} << 10}, {"MiB", std::int64_t{1} << 20}, {"GiB", std::int64_t{1} << 30}}};

// Recursive descent: sum = product {± product}, product = factor {×÷ factor}.
class Parser {
 public:
  Parser(std::string_view text, const Names& names) : text_(text), names_(names) {}

  std::int64_t all() {
    const auto value = sum();
    if (at_ < text_.size()) fail("unexpected", text_.substr(at_));
    return value;
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view where) const {
    throw std::invalid_argument(fmt::format("{} \"{:.80}\" in \"{:.200}\"", what, where, text_));
  }

  [[noreturn]] void fail_for_size() const { fail("a number is too large:", text_.substr(0, at_)); }

  // Within parentheses.
  std::int64_t inner_sum() {
    constexpr int deepest = 100;
    if (++depth_ > deepest) fail("too many parentheses", text_.substr(at_));
    const auto value = sum();
    --depth_;
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::int64_t sum() {
    auto value = product();
    for (;;) {
      if (take('+')) {
        if (__builtin_add_overflow(value, product(), &value)) fail_for_size();
      } else if (take('-')) {
        if (__builtin_sub_overflow(value, product(), &value)) fail_for_size();
      } else {
        return value;
      }
    }
  }

  std::int64_t product() {
    auto value = factor();
    for (;;) {
      if (take('*')) {
        if (__builtin_mul_overflow(value, factor(), &value)) fail_for_size();
      } else if (take('/')) {
        const auto divisor = factor();
        if (divisor == 0) fail("division by zero", "/");
        if (divisor == -1 && value == std::numeric_limits<std::int64_t>::min()) fail_for_size();
        value /= divisor;
      } else {
        skip_space();
        return value;
      }
    }
  }

  std::int64_t factor() {
    if (take('(')) {
      const auto value = inner_sum();
      if (!take(')')) fail("no closing parenthesis", text_.substr(at_));
      return value;
    }
    skip_space();
    const auto begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const auto word = text_.substr(begin, at_ - begin);
    if (word.empty()) fail("a number or a name is missing", text_.substr(begin));
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) return number(word);
    return (word == "min" || word == "max") && take('(') ? lesser_or_greater(word == "min") : value_of(word);
  }

  // After the opening parenthesis.
  std::int64_t lesser_or_greater(bool lesser) {
    const auto first = inner_sum();
    if (!take(',')) fail("no second argument", text_.substr(at_));
    const auto second = inner_sum();
    if (!take(')')) fail("no closing parenthesis", text_.substr(at_));
    return lesser ? std::min(first, second) : std::max(first, second);
  }

  std::int64_t number(std::string_view word) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc()) fail("not a number:", word);
    std::string_view unit(end, static_cast<std::size_t>(word.data() + word.size() - end));
    if (unit.empty()) {
      // "64 KiB" has a space.
      skip_space();
      unit = text_.substr(at_, 3);
      for (const auto& [name, factor] : units) {
        if (unit == name) at_ += unit.size();
      }
    }
    for (const auto& [name, factor] : units) {
      if (unit != name) continue;
      if (__builtin_mul_overflow(value, factor, &value)) fail_for_size();
      return value;
    }
    if (end != word.data() + word.size()) fail("unknown unit", unit);
    return value;
  }

  std::int64_t value_of(std::string_view name) const {
    const auto found = names_.find(std::string(name));
    if (found == names_.end()) fail("unknown name", name);
    return found->second;
  }

  std::string_view text_;
  const Names& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const Names& names) { return Parser(expression, names).all(); }

}  // namespace ptxlat::probe
