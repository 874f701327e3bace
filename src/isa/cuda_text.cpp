// SPDX-License-Identifier: Apache-2.0
#include "isa/cuda_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "base/file.h"
#include "base/limits.h"

namespace ptxlat::isa {

namespace {

using WordSet = std::set<std::string_view>;

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_ascii_sign(char c) { return c > ' ' && c < '\x7f'; }

// The end of the word or the number that begins here; numbers may have letters. Otherwise the same place.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() && continues_word(text[at])) ++at;
  return at;
}

// The first of these words in the text.
std::optional<BeyondExpressions> find_word(std::string_view text, const WordSet& words) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = end_of_word(text, at);
    const auto word = text.substr(at, end - at);
    if (words.contains(word)) return BeyondExpressions{at, std::string(word)};
    at = std::max(end, at + 1);
  }
  return std::nullopt;
}

// Two signs that the compiler takes for another one: digraphs, of which "<:" is '[', and trigraphs, whose first are
// "??". And comments, which would hide the rest of the line.
bool is_disguise(std::string_view signs) {
  static const WordSet disguises = {"<%", "%>", "<:", ":>", "%:", "??", "//", "/*", "*/"};
  return disguises.contains(signs);
}

// Words that make something else of a text, in any place.
const WordSet& words_of_declarations() {
  static const WordSet words = {
      "asm",          "__asm",       "__asm__", "_Pragma",    "__pragma",       "template",      "typedef",
      "struct",       "class",       "union",   "enum",       "namespace",      "using",         "extern",
      "operator",     "switch",      "case",    "default",    "goto",           "try",           "catch",
      "throw",        "new",         "delete",  "friend",     "static_assert",  "__attribute__", "__declspec",
      "import",       "export",      "module",  "__device__", "__global__",     "__host__",      "__shared__",
      "__constant__", "__managed__", "concept", "requires",   "_Static_assert", "__has_include"};
  return words;
}

const WordSet& words_of_statements() {
  static const WordSet words = {"if", "else", "for", "while", "do", "return", "break", "continue"};
  return words;
}

// The text with spaces for its holes, and what of them was no hole.
std::string with_holes_blank(const std::string& call) {
  auto text = call;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '{') continue;
    const auto end = end_of_word(text, at + 1);
    const bool is_hole = end > at + 1 && begins_word(text[at + 1]) && end < text.size() && text[end] == '}';
    if (!is_hole) continue;
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end) + 1, ' ');
  }
  return text;
}

bool parentheses_pair_up(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

// Whether nothing is assigned except, first of all, the whole to a hole.
bool assigns_once(const std::string& call) {
  static const std::regex target(R"(\s*\{\w{1,1000}\}\s*)");
  bool has_assigned = false;
  for (auto at = call.find('='); at != std::string::npos; at = call.find('=', at + 1)) {
    if (call.compare(at, 2, "==") == 0) {
      ++at;
      continue;
    }
    const auto before = std::string_view(call).substr(0, at);
    const bool is_shift = before.ends_with("<<") || before.ends_with(">>");
    const bool is_comparison =
        !is_shift && !before.empty() && std::string_view("<>!").find(before.back()) != before.npos;
    if (is_comparison) continue;
    if (has_assigned || !std::regex_match(before.begin(), before.end(), target)) return false;
    has_assigned = true;
  }
  return true;
}

}  // namespace

std::optional<BeyondExpressions> beyond_expressions(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_space(c)) continue;
    if (!is_ascii_sign(c)) return BeyondExpressions{at, "a character that C++ does not use"};
    if (std::string_view("{}[]#\"'\\`@$").find(c) != std::string_view::npos)
      return BeyondExpressions{at, std::string(1, c)};
    if (is_disguise(text.substr(at, 2))) return BeyondExpressions{at, std::string(text.substr(at, 2))};
  }
  return find_word(text, words_of_declarations());
}

std::optional<BeyondExpressions> statement_in(std::string_view text) {
  const auto statement = find_word(text, words_of_statements());
  return statement ? statement : find_word(text, {"asm"});
}

std::string problem_of_call(const std::string& call) {
  if (call.size() > most_call_bytes) return fmt::format("it has more than {} bytes", most_call_bytes);
  const auto text = with_holes_blank(call);
  if (text.find_first_of("\n\r\v\f") != std::string::npos) return "it has more than one line";
  auto beyond = beyond_expressions(text);
  // Where the program has it, a hole joins the letters around it.
  auto spelled = call;
  std::erase_if(spelled, [](char c) { return c == '{' || c == '}'; });
  for (const auto* words : {&words_of_declarations(), &words_of_statements()}) {
    if (!beyond) beyond = find_word(spelled, *words);
  }
  if (!beyond && text.find(';') != std::string::npos) beyond = {text.find(';'), ";"};
  if (beyond) return fmt::format("{} is in no expression", beyond->what);
  if (!parentheses_pair_up(text)) return "the parentheses do not pair up";
  if (!assigns_once(call)) return "it assigns to something else than one operand";
  return {};
}

bool is_header_name(std::string_view name) {
  static const std::regex header(R"([\w.+-]{1,100}(/[\w.+-]{1,100}){0,10})");
  return std::regex_match(name.begin(), name.end(), header) && is_name_beneath(name);
}

bool is_code_option(std::string_view option) {
  static const std::regex known(
      "--?(use_fast_math|extra-device-vectorization|(ftz|prec-sqrt|prec-div|fmad)=(true|false))");
  return std::regex_match(option.begin(), option.end(), known);
}

}  // namespace ptxlat::isa
