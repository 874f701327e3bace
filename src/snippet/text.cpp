// SPDX-License-Identifier: Apache-2.0
#include "snippet/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "isa/form.h"
#include "snippet/constants.h"
#include "snippet/cursor.h"

namespace ptxlat::snippet {

void fail(const std::string& name, Place place, const std::string& message, const std::string& advice) {
  throw Error(ExitCode::usage, fmt::format("{}:{}:{}: {}", name, place.line, place.column, message), advice);
}

namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}
bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

class Parser : Cursor {
 public:
  Parser(const std::string& text, std::string name, bool is_module)
      : Cursor(text), name_(std::move(name)), is_module_(is_module) {}

  Text parse() {
    parse_all(most_text_bytes);
    return std::move(parsed_);
  }

  std::vector<Function> parse_module() {
    parse_all(most_module_bytes);
    return std::move(functions_);
  }

 private:
  void parse_all(std::size_t most_bytes) {
    if (text_.size() > most_bytes) fail(name_, {}, fmt::format("it has more than {} bytes", most_bytes));
    for (skip_space(); !at_end(); skip_space()) parse_statement();
    if (!scopes_.empty()) fail(name_, scopes_.back(), "this brace is never closed");
  }

  // Of a module, inside the body that is being read.
  bool is_in_function() const { return is_module_ && !scopes_.empty(); }
  std::vector<Statement>& statements() { return is_module_ ? functions_.back().statements : parsed_.statements; }
  std::vector<NamedRegister>& declared() { return is_module_ ? functions_.back().declared : parsed_.declared; }

  // A whole character of UTF-8.
  std::string character() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
    return text_.substr(at_, end - at_);
  }

  // Spaces that pages and editors put into a text: a byte-order mark, and those that do not break or have no width.
  bool is_wide_space() const {
    const auto here = character();
    return here == "\xEF\xBB\xBF" || here == "\xC2\xA0" || here == "\xE2\x80\x8B" || here == "\xE2\x80\xAF" ||
           here == "\xE3\x80\x80";
  }

  void skip_space() {
    while (!at_end()) {
      if (is_space(peek())) {
        take();
      } else if (is_wide_space()) {
        at_ += character().size();
        ++place_.column;
      } else if (peek() == '/' && peek(1) == '/') {
        skip_line_comment();
      } else if (peek() == '/' && peek(1) == '*') {
        const auto begin = place_;
        const auto end = text_.find("*/", at_ + 2);
        if (end == std::string::npos) fail(name_, begin, "this comment is never closed");
        while (at_ < end + 2) take();
      } else {
        return;
      }
    }
  }

  void skip_line_comment() {
    take();
    take();
    while (!at_end() && (peek() == ' ' || peek() == '\t')) take();
    for (const bool is_source : {true, false}) {
      const std::string_view word = is_source ? "sources:" : "results:";
      if (text_.compare(at_, word.size(), word) != 0) continue;
      for (std::size_t i = 0; i < word.size(); ++i) take();
      mark_registers(is_source ? parsed_.sources : parsed_.results);
    }
    while (!at_end() && peek() != '\n') take();
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == ',') take();
  }

  // "a .u32, b": up to the end of the line.
  void mark_registers(std::vector<NamedRegister>& marked) {
    for (skip_blanks(); begins_name(peek()); skip_blanks()) {
      const auto place = place_;
      NamedRegister one{take_while(continues_name), {}, place};
      while (peek() == ' ') take();
      if (peek() == '.') one.type = take_type();
      marked.push_back(std::move(one));
    }
    if (!at_end() && peek() != '\n' && peek() != '\r')
      fail(name_, place_, fmt::format("a register is expected here, not \"{}\"", character()),
           "registers are marked like `// sources: a .u32, b`");
  }

  std::string take_type() {
    const auto place = place_;
    take();  // the dot
    auto type = take_while(continues_name);
    if (isa::register_bits(type) == 0) fail(name_, place, fmt::format("there is no register type .{}", type));
    return type;
  }

  void parse_statement() {
    if (peek() == ';') {
      take();
      return;
    }
    if (peek() == '{') {
      const bool begins_body = is_module_ && scopes_.empty();
      if (begins_body && !std::exchange(awaits_body_, false)) fail(name_, place_, "this brace belongs to no kernel");
      scopes_.push_back(place_);
      take();
      return;
    }
    if (peek() == '}') {
      if (scopes_.empty()) fail(name_, place_, "this brace closes nothing");
      scopes_.pop_back();
      if (is_module_ && scopes_.empty()) functions_.back().end = place_;
      take();
      return;
    }
    if (peek() == '.') return is_module_ ? parse_module_directive() : parse_directive();
    if (is_module_ && !is_in_function()) fail(name_, place_, "a directive is expected here, outside of all kernels");
    Statement statement;
    statement.source_line = source_line_;
    if (peek() == '@') statement.guard = take_guard();
    statement.place = place_;
    if (!begins_name(peek()))
      fail(name_, place_, fmt::format("an instruction is expected here, not \"{}\"", character()));
    statement.opcode = take_opcode();
    skip_space();
    if (peek() == ':' && is_module_) {
      take();
      functions_.back().labels[statement.opcode] = statements().size();
      return;
    }
    if (peek() == ':') {
      fail(name_, statement.place,
           fmt::format("the label {}: only code without branches is measured", statement.opcode), straight_line_advice);
    }
    while (!at_end() && peek() != ';') {
      statement.operands.push_back(take_token());
      skip_space();
    }
    if (!at_end()) take();
    join_constants(statement.operands);
    if (!is_module_ && parsed_.statements.size() == most_instructions)
      fail(name_, statement.place, fmt::format("a snippet has at most {} instructions", most_instructions));
    statements().push_back(std::move(statement));
  }

  Guard take_guard() {
    take();
    Guard guard;
    skip_space();
    if (peek() == '!') {
      guard.is_negated = true;
      take();
    }
    skip_space();
    guard.name = {Token::Kind::name, {}, place_};
    if (!begins_name(peek())) fail(name_, place_, "a predicate is expected after @");
    guard.name.text = take_while(continues_name);
    skip_space();
    return guard;
  }

  // Two colons are part of the name (ld.shared::cta.u32), one ends a label.
  std::string take_opcode() {
    std::string opcode;
    while (!at_end()) {
      if (peek() == ':' && peek(1) == ':') {
        opcode += take();
        opcode += take();
      } else if (continues_name(peek()) || peek() == '.') {
        opcode += take();
      } else {
        break;
      }
    }
    return opcode;
  }

  Token take_token() {
    Token token{Token::Kind::punctuation, {}, place_};
    const bool is_remainder = peek() == '%' && !begins_name(peek(1)) && !is_digit(peek(1));
    if (begins_name(peek()) && !is_remainder) {
      token.kind = Token::Kind::name;
      token.text = take_while(continues_name);
      while (peek() == '.' && begins_name(peek(1))) {  // %tid.x; or an opcode, if a semicolon is missing
        std::string part(1, take());
        part += take_while(continues_name);
        const bool selects = part.size() > 2 && (part[1] == 'b' || part[1] == 'h') && part.size() < 7 &&
                             std::all_of(part.begin() + 2, part.end(), is_digit);
        (selects ? token.selector : token.text) += part;
      }
    } else if (is_digit(peek()) || ((peek() == '-' || peek() == '.') && is_digit(peek(1)))) {
      token.kind = Token::Kind::number;
      token.text = take_number();
    } else {
      constexpr std::string_view known = ",[]{}|!+-()<>:*/%&^=~?";
      if (known.find(peek()) == std::string_view::npos)
        fail(name_, place_, fmt::format("\"{}\" has no meaning in PTX here", character()));
      token.text = std::string(1, take());
    }
    return token;
  }

  // "-7", "0x1f", "0f3F800000", "1e-3", "7U".
  std::string take_number() {
    std::string number(1, take());
    while (!at_end()) {
      const bool is_exponent_sign = (peek() == '-' || peek() == '+') &&
                                    (number.back() == 'e' || number.back() == 'E') &&
                                    number.find_first_of("xX") == std::string::npos && is_digit(peek(1));
      if (!is_exponent_sign && peek() != '.' && std::isalnum(static_cast<unsigned char>(peek())) == 0) break;
      number += take();
    }
    return number;
  }

  // ".reg .b32 a, b, %r<4>;"
  void parse_directive() {
    const auto place = place_;
    take();
    const auto word = take_while(continues_name);
    if (word == "version" || word == "target" || word == "address_size") return skip_line();
    if (skip_without_code(word)) return;
    if (word != "reg") {
      fail(name_, place, fmt::format("the directive .{} is not allowed in a snippet: only .reg is", word),
           "memory is given by the snippet's pointers: a register that is used as an address points to scratch memory");
    }
    parse_registers();
  }

  // Directives that make no code. Those with places in a source end with their line.
  bool skip_without_code(const std::string& word) {
    if (word == "loc") {
      read_loc();
    } else if (word == "file") {
      skip_line();
    } else if (word == "pragma") {
      skip_to_semicolon();
    } else {
      return false;
    }
    return true;
  }

  void skip_line() {
    while (!at_end() && peek() != '\n') take();
  }
  void skip_to_semicolon() {
    while (!at_end() && peek() != ';') take();
  }

  // ".loc 1 12 3", ".loc 1 40 9, function_name $L__info_string0, inlined_at 1 12 3": the line of the outermost place.
  void read_loc() {
    std::string line = take_while([](char c) { return c != '\n' && c != ';'; });
    constexpr std::string_view inlined = "inlined_at";
    if (const auto at = line.rfind(inlined); at != std::string::npos) line.erase(0, at + inlined.size());
    auto words = words_in(line, " \t,");
    std::erase(words, "");
    const bool is_number =
        words.size() > 1 && words[1].size() < 9 && std::all_of(words[1].begin(), words[1].end(), is_digit);
    source_line_ = is_number ? std::stoi(words[1]) : 0;
  }

  // ".visible .entry name(…) .maxntid 128, 1, 1 {", ".extern .shared .align 16 .b8 smem[];", ".version 8.0". Variables
  // need no declaration: a name that an instruction takes as an address points to scratch memory.
  void parse_module_directive() {
    const auto place = place_;
    take();
    const auto word = take_while(continues_name);
    if (skip_without_code(word)) return;
    if (word == "entry" || word == "func") return begin_function(place, word == "entry");
    if (word == "reg" && is_in_function()) return parse_registers();
    if (word == "visible" || word == "extern" || word == "weak" || word == "common") return;
    if (word == "version" || word == "target" || word == "address_size") return skip_line();
    if (word == "section") return skip_block();
    skip_to_semicolon();
  }

  // Up to its body, or only a declaration.
  void begin_function(Place place, bool is_kernel) {
    std::string name;
    for (skip_space(); !at_end() && peek() != '{' && peek() != ';'; skip_space()) {
      if (peek() == '(') skip_parentheses();
      if (name.empty() && begins_name(peek())) {
        name = take_while(continues_name);
      } else if (!at_end()) {
        take();
      }
    }
    if (peek() != '{') return;
    awaits_body_ = true;
    functions_.push_back({name, is_kernel, place, place, {}, {}, {}});
    declared_at_.clear();
    source_line_ = 0;
  }

  // The result or the parameters of a function, up to the closing one.
  void skip_parentheses() {
    for (; !at_end() && peek() != ')'; skip_space()) take();
  }

  // A section of debugging data.
  void skip_block() {
    while (!at_end() && peek() != '}') take();
    if (!at_end()) take();
  }

  // " .b32 a, b, %r<4>;"
  void parse_registers() {
    skip_space();
    if (peek() != '.') fail(name_, place_, "a type is expected after .reg");
    const auto type = take_type();
    for (;;) {
      skip_space();
      const auto at = place_;
      if (!begins_name(peek())) fail(name_, place_, "a register is expected here");
      declare(take_while(continues_name), type, at);
      skip_space();
      if (peek() != ',') break;
      take();
    }
    if (!at_end() && peek() != ';') fail(name_, place_, "a semicolon is expected after .reg");
    if (!at_end()) take();
  }

  void declare(const std::string& name, const std::string& type, Place place) {
    if (peek() != '<') {
      add_declared({name, type, place});
      return;
    }
    take();
    const auto digits = take_while(is_digit);
    const int count = digits.empty() || digits.size() > 5 ? 0 : std::stoi(digits);
    if (peek() != '>' || count < 1 || std::cmp_greater(count, most_registers))
      fail(name_, place_, "a range of registers is declared like %r<4>, with at most 10,000");
    take();
    for (int i = 0; i < count; ++i) add_declared({fmt::format("{}{}", name, i), type, place});
  }

  void add_declared(NamedRegister declared) {
    const auto [same, is_new] = declared_at_.try_emplace(declared.name, declared.place);
    if (!is_new && is_module_) return;  // in a scope of its own
    if (!is_new) {
      fail(name_, declared.place,
           fmt::format("{} is declared a second time (first at {}:{})", declared.name, same->second.line,
                       same->second.column));
    }
    if (this->declared().size() == most_registers)
      fail(name_, declared.place, fmt::format("more than {} registers are declared", most_registers));
    this->declared().push_back(std::move(declared));
  }

  std::string name_;
  bool is_module_;
  int source_line_ = 0;
  bool awaits_body_ = false;  // the last of the functions
  std::vector<Function> functions_;
  std::vector<Place> scopes_;
  std::map<std::string, Place> declared_at_;
  Text parsed_;
};

}  // namespace

bool is_module(const std::string& text) {
  return text.find(".entry") != std::string::npos || text.find(".func") != std::string::npos;
}

Text parse(const std::string& text, const std::string& name) { return Parser(text, name, false).parse(); }

std::vector<Function> parse_module(const std::string& text, const std::string& name) {
  return Parser(text, name, true).parse_module();
}

}  // namespace ptxlat::snippet
