// SPDX-License-Identifier: Apache-2.0
#include "snippet/constants.h"

#include <string_view>
#include <utility>

namespace ptxlat::snippet {

namespace {

bool is_number(const Token& token) { return token.kind == Token::Kind::number; }

bool is_any_of(const Token& token, std::string_view characters) {
  return token.kind == Token::Kind::punctuation && characters.find(token.text) != std::string_view::npos;
}

bool is_operator(const Token& token) { return is_any_of(token, "+-*/%&|^<>=!~?:"); }

// Where the expression ends that begins at `first`: before the next register, comma or bracket, or the parenthesis that
// it does not open.
std::size_t end_of_expression(const std::vector<Token>& operands, std::size_t first) {
  int open = 0;
  auto end = first;
  for (; end < operands.size(); ++end) {
    const auto& token = operands[end];
    if (is_any_of(token, ")") && open == 0) break;
    open += is_any_of(token, "(") ? 1 : is_any_of(token, ")") ? -1 : 0;
    if (!is_number(token) && !is_operator(token) && !is_any_of(token, "()")) break;
  }
  const bool is_whole = open == 0 && end > first && (is_number(operands[end - 1]) || is_any_of(operands[end - 1], ")"));
  return is_whole ? end : first;
}

bool is_register(const Token& token) { return token.kind == Token::Kind::name; }

// An operand, an element of a vector or an address begins with this token, or what is added to a register in an
// address.
bool begins_with(const Token& token, const std::vector<Token>& before) {
  if (before.empty() || is_any_of(before.back(), ",{[")) return true;
  if (is_register(before.back())) return is_number(token) && token.text.front() == '-';
  return before.size() > 1 && is_register(before[before.size() - 2]) && is_any_of(before.back(), "+");
}

}  // namespace

void join_constants(std::vector<Token>& operands) {
  for (auto& token : operands) {
    if (token.text == "WARP_SZ") token.kind = Token::Kind::number;
  }
  std::vector<Token> joined;
  for (std::size_t i = 0; i < operands.size();) {
    const auto end = begins_with(operands[i], joined) ? end_of_expression(operands, i) : i;
    if (end <= i + 1) {
      joined.push_back(operands[i++]);
      continue;
    }
    Token number{Token::Kind::number, {}, operands[i].place};
    // "7 %4" would be a register.
    for (; i < end; ++i) number.text += operands[i].text == "%" ? " % " : operands[i].text;
    joined.push_back(std::move(number));
  }
  operands = std::move(joined);
}

}  // namespace ptxlat::snippet
