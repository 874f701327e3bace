// SPDX-License-Identifier: Apache-2.0
#include "base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ptxlat {

namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> units = {
    {{"KiB", std::int64_t{1} << 10}, {"MiB", std::int64_t{1} << 20}, {"GiB", std::int64_t{1} << 30}}};

// Whether the result does not fit; else it is in `value`.
template <class Number>
bool add_overflows(Number& value, Number other) {
  if constexpr (std::is_integral_v<Number>) return __builtin_add_overflow(value, other, &value);
  return !std::isfinite(value += other);
}

template <class Number>
bool subtract_overflows(Number& value, Number other) {
  if constexpr (std::is_integral_v<Number>) return __builtin_sub_overflow(value, other, &value);
  return !std::isfinite(value -= other);
}

template <class Number>
bool multiply_overflows(Number& value, Number other) {
  if constexpr (std::is_integral_v<Number>) return __builtin_mul_overflow(value, other, &value);
  return !std::isfinite(value *= other);
}

// By anything but zero.
template <class Number>
bool divide_overflows(Number& value, Number divisor) {
  if constexpr (std::is_integral_v<Number>) {
    if (divisor == -1 && value == std::numeric_limits<Number>::min()) return true;
    value /= divisor;
    return false;
  }
  return !std::isfinite(value /= divisor);
}

// Recursive descent: sum = product {± product}, product = factor {×÷ factor}.
template <class Number>
class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, Number>& names) : text_(text), names_(names) {}

  Number all() {
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
  Number inner_sum() {
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

  Number sum() {
    auto value = product();
    for (;;) {
      if (take('+')) {
        if (add_overflows(value, product())) fail_for_size();
      } else if (take('-')) {
        if (subtract_overflows(value, product())) fail_for_size();
      } else {
        return value;
      }
    }
  }

  Number product() {
    auto value = factor();
    for (;;) {
      if (take('*')) {
        if (multiply_overflows(value, factor())) fail_for_size();
      } else if (take('/')) {
        const auto divisor = factor();
        if (divisor == 0) fail("division by zero", "/");
        if (divide_overflows(value, divisor)) fail_for_size();
      } else {
        skip_space();
        return value;
      }
    }
  }

  Number factor() {
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
  Number lesser_or_greater(bool lesser) {
    const auto first = inner_sum();
    if (!take(',')) fail("no second argument", text_.substr(at_));
    const auto second = inner_sum();
    if (!take(')')) fail("no closing parenthesis", text_.substr(at_));
    return lesser ? std::min(first, second) : std::max(first, second);
  }

  Number number(std::string_view word) {
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
      if (multiply_overflows(value, factor)) fail_for_size();
      return static_cast<Number>(value);
    }
    if (end != word.data() + word.size()) fail("unknown unit", unit);
    return static_cast<Number>(value);
  }

  Number value_of(std::string_view name) const {
    const auto found = names_.find(std::string(name));
    if (found == names_.end()) fail("unknown name", name);
    return found->second;
  }

  std::string_view text_;
  const std::map<std::string, Number>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const Names& names) {
  return Parser<std::int64_t>(expression, names).all();
}

double evaluate_real(std::string_view expression, const RealNames& names) {
  return Parser<double>(expression, names).all();
}

}  // namespace ptxlat
