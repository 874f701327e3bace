// SPDX-License-Identifier: Apache-2.0
#include "snippet/inline_assembly.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "snippet/cursor.h"
#include "snippet/text.h"

namespace ptxlat::snippet {

namespace {

bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// One operand: [label] "=r"(expression).
struct AssemblyOperand {
  std::string label, constraint, expression;
  bool is_output = false;
};

class Reader : Cursor {
 public:
  using Cursor::Cursor;

  // Whether it begins with a string or with asm.
  bool begins() {
    skip_space();
    if (peek() == '"') return true;
    const auto word = take_word();
    if (word != "asm" && word != "__asm__" && word != "__asm") return false;
    skip_space();
    while (continues_word(peek())) take_word(), skip_space();  // volatile
    if (peek() != '(') return false;
    take();
    return true;
  }

  std::string take_strings() {
    std::string all;
    for (skip_space(); peek() == '"'; skip_space()) all += take_string();
    return all;
  }

  // The sections behind colons: outputs, inputs, what else is overwritten.
  std::vector<AssemblyOperand> take_operands() {
    std::vector<AssemblyOperand> operands;
    for (int section = 0; peek() == ':' && section < 3; ++section) {
      take();
      for (skip_space(); peek() == '[' || peek() == '"'; skip_space()) {
        if (section == 2) {
          take_string();
        } else {
          operands.push_back(take_operand(section == 0));
        }
        skip_space();
        if (peek() == ',') take();
      }
    }
    return operands;
  }

  // Nothing may follow but the end of the statement.
  void end() {
    for (skip_space(); peek() == ')' || peek() == ';'; skip_space()) take();
    if (!at_end()) refuse(fmt::format("\"{}\" is not expected here", peek()));
  }

 private:
  void skip_space() {
    while (std::isspace(static_cast<unsigned char>(peek())) != 0) take();
  }
  std::string take_word() { return take_while(continues_word); }
  [[noreturn]] void refuse(const std::string& message) const {
    fail("asm", place_, message, R"(inline assembly is written like asm("…" : "=r"(d) : "r"(a)))");
  }

  std::string take_string() {
    take();
    std::string string;
    while (peek() != '"') {
      if (at_end()) refuse("this string is never closed");
      const char c = take();
      if (c != '\\') {
        string += c;
        continue;
      }
      const char escaped = at_end() ? '\\' : take();
      if (escaped == '\n') continue;
      string += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
    }
    take();
    return string;
  }

  AssemblyOperand take_operand(bool is_output) {
    AssemblyOperand operand{.label = {}, .constraint = {}, .expression = {}, .is_output = is_output};
    if (peek() == '[') {
      take();
      operand.label = take_word();
      if (peek() != ']') refuse("a bracket is expected after the operand's name");
      take();
      skip_space();
    }
    if (peek() != '"') refuse("a constraint is expected here");
    operand.constraint = take_string();
    skip_space();
    if (peek() != '(') refuse("a variable in parentheses is expected after the constraint");
    int open = 0;
    do {
      if (at_end()) refuse("this parenthesis is never closed");
      open += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
      operand.expression += take();
    } while (open > 0);
    operand.expression = operand.expression.substr(1, operand.expression.size() - 2);
    return operand;
  }
};

// Of the constraints of NVIDIA's inline assembly; empty for an immediate ("n", "C").
std::string type_of(const std::string& constraint) {
  constexpr std::array<std::pair<char, const char*>, 6> types{
      {{'h', "b16"}, {'r', "b32"}, {'l', "b64"}, {'q', "b128"}, {'f', "f32"}, {'d', "f64"}}};
  for (const auto& [letter, type] : types) {
    if (constraint.find(letter) != std::string::npos) return type;
  }
  return {};
}

std::string plain_name(const AssemblyOperand& operand, std::size_t number) {
  const auto& name = operand.expression;
  const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                       std::all_of(name.begin(), name.end(), continues_word);
  return is_name ? name : fmt::format("operand_{}", number);
}

// "%0", "%[x]" and "%%" replaced.
std::string with_names(std::string_view code, const std::vector<AssemblyOperand>& operands,
                       const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (text.size() > most_text_bytes) fail("asm", {}, fmt::format("it makes more than {} bytes", most_text_bytes));
    const auto rest = code.substr(at + 1);
    if (code[at] != '%') {
      text += code[at];
    } else if (rest.starts_with('%')) {
      text += '%';
      ++at;
    } else if (!names.empty() && !rest.empty() && is_digit(rest.front())) {
      std::size_t number = 0, digits = 0;
      for (; digits < rest.size() && digits < 3 && is_digit(rest[digits]); ++digits)
        number = number * 10 + static_cast<std::size_t>(rest[digits] - '0');
      if (number >= names.size()) fail("asm", {}, fmt::format("there is no operand %{}", number));
      text += names[number];
      at += digits;
    } else if (rest.starts_with('[')) {
      const auto close = std::min(rest.find(']'), rest.size());
      const auto label = rest.substr(1, close - 1);
      const auto found =
          std::find_if(operands.begin(), operands.end(), [&](const auto& o) { return o.label == label; });
      if (found == operands.end()) fail("asm", {}, fmt::format("there is no operand %[{}]", label));
      text += names[static_cast<std::size_t>(found - operands.begin())];
      at += close + 1;
    } else {
      text += '%';
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> ptx_of_inline_assembly(const std::string& text) {
  Reader reader(text);
  if (!reader.begins()) return std::nullopt;
  if (text.size() > most_text_bytes) fail("asm", {}, fmt::format("it has more than {} bytes", most_text_bytes));
  const auto code = reader.take_strings();
  const auto operands = reader.take_operands();
  reader.end();
  std::vector<std::string> names, results;
  std::set<std::string> declared;
  std::string declarations;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto& operand = operands[i];
    const auto type = type_of(operand.constraint);
    names.push_back(type.empty() ? operand.expression : plain_name(operand, i));
    if (type.empty()) continue;
    if (operand.is_output) results.push_back(names.back());
    if (declared.insert(names.back()).second) declarations += fmt::format(" .reg .{} {};", type, names.back());
  }
  // Behind the code, whose places stay.
  auto ptx = with_names(code, operands, names) + ";" + declarations;
  if (!results.empty()) ptx += fmt::format("\n// results: {}", fmt::join(results, ", "));
  return ptx;
}

}  // namespace ptxlat::snippet
