// SPDX-License-Identifier: Apache-2.0
#include "snippet/syntax.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "isa/nearest_spellings.h"
#include "isa/types.h"

namespace ptxlat::snippet {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '.'; }

// "d, a, b" from "{d}, {a}, {b}": the operands of an instruction, for errors.
std::string readable(const isa::Form& form) {
  std::string text = form.text.find(' ') == std::string::npos ? "" : form.text.substr(form.text.find(' ') + 1);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto close = text[i] == '{' ? text.find_first_of("{}", i + 1) : std::string::npos;
    const bool is_hole = close != std::string::npos && text[close] == '}';
    if (!is_hole) {
      plain += text[i];
      continue;
    }
    const auto name = text.substr(i + 1, close - i - 1);
    const auto operand = std::find_if(form.operands.begin(), form.operands.end(),
                                      [&](const isa::Operand& one) { return one.name == name; });
    const int count = operand == form.operands.end() ? 0 : operand->count;
    plain += count == 0 ? name : fmt::format("{{{} × {}}}", name, count);
    i = close;
  }
  return plain;
}

}  // namespace

std::vector<Syntaxes::Piece> Syntaxes::pieces_of(const isa::Form& form) {
  std::vector<Piece> pieces;
  const auto& text = form.text;
  for (std::size_t at = std::min(text.find(' '), text.size()); at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    const auto close = text[at] == '{' ? text.find_first_of("{}", at + 1) : std::string::npos;
    if (close != std::string::npos && text[close] == '}') {
      const auto name = text.substr(at + 1, close - at - 1);
      const auto operand = std::find_if(form.operands.begin(), form.operands.end(),
                                        [&](const isa::Operand& one) { return one.name == name; });
      if (operand != form.operands.end()) {
        pieces.push_back({&*operand, {}});
        at = close + 1;
        continue;
      }
    }
    std::size_t end = at + 1;
    if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    pieces.push_back({nullptr, text.substr(at, end - at)});
    at = end;
  }
  return pieces;
}

Syntaxes::Syntaxes(const isa::Catalogue& catalogue) {
  for (const auto& form : catalogue.forms) {
    if (form.cuda) continue;
    by_spelling_[form.text.substr(0, form.text.find(' '))].push_back(&form);
    const auto percent = form.text.find('%');
    if (percent == std::string::npos && form.text.find("WARP_SZ") == std::string::npos) continue;
    for (const auto& piece : pieces_of(form)) {
      if (piece.hole == nullptr && is_word(piece.token.front())) fixed_names_.insert(piece.token);
    }
  }
}

// One form tried on one statement. `at` is the token that the next piece must be; if the match fails, `expected` says
// what was missing.
struct Syntaxes::Attempt {
  const Statement& statement;
  const std::set<std::string>& fixed_names;
  std::size_t at = 0;
  std::vector<Bound> bound = {};

  const Token* token(std::size_t ahead = 0) const {
    return at + ahead < statement.operands.size() ? &statement.operands[at + ahead] : nullptr;
  }
  bool is(const char* text, std::size_t ahead = 0) const {
    const auto* found = token(ahead);
    return found != nullptr && found->text == text;
  }

  bool take(const char* text) {
    if (!is(text)) return false;
    ++at;
    return true;
  }

  // One register, literal or "_".
  bool take_scalar(const isa::Operand& operand, int element) {
    const auto* found = token();
    if (found == nullptr) return false;
    Bound one{&operand, operand.type, operand.is_result, operand.is_inout, false, false, element, at};
    if (operand.type == "imm") one.type = "b32";  // it is a register in the text
    if (found->text == "!" && operand.type == "pred" && !operand.is_result) {
      one.token = ++at;
      found = token();
      if (found == nullptr || found->kind != Token::Kind::name) return false;
    }
    if (found->kind == Token::Kind::number) {
      if (operand.is_result) return false;
      one.is_literal = true;
    } else if (found->kind != Token::Kind::name || fixed_names.contains(found->text) ||
               found->text.find('.') != std::string::npos) {
      return false;
    }
    if (!found->selector.empty() && !statement.opcode.starts_with('v')) return false;  // of video instructions alone
    one.is_sink = found->text == "_";
    if (one.is_sink && !operand.is_result) return false;
    ++at;
    bound.push_back(one);
    return true;
  }

  bool take_operand(const isa::Operand& operand) {
    if (operand.count == 0 && is("{") && is("}", 2)) {  // Triton writes "{ %r1 }" for a register
      ++at;
      return take_scalar(operand, -1) && take("}");
    }
    if (operand.count == 0) return take_scalar(operand, -1);
    if (!take("{")) return false;
    for (int element = 0; element < operand.count; ++element) {
      if (element > 0 && !take(",")) return false;
      if (!take_scalar(operand, element)) return false;
    }
    return take("}");
  }

  // "+4", "-4" after an address.
  void take_offset() {
    if (is("+") && token(1) != nullptr && token(1)->kind == Token::Kind::number) {
      at += 2;
    } else if (token() != nullptr && token()->kind == Token::Kind::number && token()->text.front() == '-') {
      ++at;
    }
  }

  // setp has a second result, the complement, which the catalogue omits.
  bool take_second_predicate() {
    if (!statement.opcode.starts_with("setp.") || bound.size() != 1 || !take("|")) return true;
    const auto* found = token();
    if (found == nullptr || found->kind != Token::Kind::name) return false;
    bound.push_back({nullptr, "pred", true, false, false, found->text == "_", -1, at});
    ++at;
    return true;
  }

  bool match(const std::vector<Piece>& pieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto& piece = pieces[i];
      if (piece.hole == nullptr) {
        if (!take(piece.token.c_str())) return false;
        continue;
      }
      if (!take_operand(*piece.hole)) return false;
      if (i + 1 < pieces.size() && pieces[i + 1].token == "]") take_offset();
      if (!take_second_predicate()) return false;
    }
    take_merged();
    return at == statement.operands.size();
  }

  // A result of which only a part is written takes the rest from one more register, which the catalogue omits:
  // "vadd.u32.u32.u32 d.b0, a, b, c".
  void take_merged() {
    if (bound.empty() || statement.operands[bound.front().token].selector.empty() || !is(",")) return;
    const auto* merged = token(1);
    if (merged == nullptr || merged->kind != Token::Kind::name) return;
    bound.push_back({nullptr, "b32", false, false, false, false, -1, at + 1});
    at += 2;
  }
};

// As the catalogue has them.
std::vector<std::string> Syntaxes::nearest_spellings(const std::string& written) const {
  std::vector<std::pair<const isa::Form*, std::string>> known;
  for (const auto& [spelling, forms] : by_spelling_) known.emplace_back(forms.front(), spelling);
  std::sort(known.begin(), known.end());
  std::vector<std::string> names;
  for (auto& [form, spelling] : known) names.push_back(std::move(spelling));
  return isa::nearest_spellings(written, names);
}

Instruction Syntaxes::read(const Statement& statement, const std::string& name) const {
  static const std::set<std::string> jumps = {"bra", "brx", "call", "ret", "exit", "trap", "brkpt"};
  if (jumps.contains(stem_of(statement.opcode))) {
    fail(name, statement.place, fmt::format("{}: only code without branches is measured", statement.opcode),
         straight_line_advice);
  }
  const auto found = by_spelling_.find(statement.opcode);
  if (found == by_spelling_.end()) {
    const auto nearest = nearest_spellings(statement.opcode);
    fail(name, statement.place, fmt::format("the catalogue has no instruction {}", statement.opcode),
         nearest.empty() ? "`ptxlat list` lists all forms" : fmt::format("did you mean {}?", fmt::join(nearest, ", ")));
  }
  std::vector<Syntax> syntaxes;
  for (const auto* form : found->second) syntaxes.push_back({form, pieces_of(*form)});
  // Forms that name a special register are tried before those that take any register.
  std::stable_sort(syntaxes.begin(), syntaxes.end(), [](const Syntax& x, const Syntax& y) {
    const auto holes = [](const Syntax& syntax) {
      return std::count_if(syntax.pieces.begin(), syntax.pieces.end(),
                           [](const Piece& p) { return p.hole != nullptr; });
    };
    return holes(x) < holes(y);
  });
  std::size_t furthest = 0;
  for (const auto& syntax : syntaxes) {
    Attempt attempt{statement, fixed_names_};
    if (attempt.match(syntax.pieces)) {
      Instruction read{&statement, syntax.form, std::move(attempt.bound)};
      for (const auto& operand : syntax.form->operands) {
        if (operand.type != "carry") continue;
        (operand.is_result ? read.writes_carry : read.reads_carry) = true;
      }
      return read;
    }
    furthest = std::max(furthest, attempt.at);
  }
  std::set<std::string> wanted;
  for (const auto& syntax : syntaxes) wanted.insert(readable(*syntax.form));
  const bool is_at_end = furthest >= statement.operands.size();
  const auto place = is_at_end ? statement.place : statement.operands[furthest].place;
  const auto what = is_at_end ? std::string("has too few operands")
                              : fmt::format("cannot have \"{}{}\" here", statement.operands[furthest].text,
                                            statement.operands[furthest].selector);
  if (!is_at_end && fixed_names_.contains(statement.operands[furthest].text)) {
    fail(name, place, fmt::format("{} {}: it is a special register", statement.opcode, what),
         fmt::format("read it first: mov.u32 t, {}", statement.operands[furthest].text));
  }
  if (!is_at_end && furthest > 0 && statement.operands[furthest].text == "+" &&
      statement.operands[furthest - 1].kind == Token::Kind::name) {
    fail(name, place, fmt::format("{} {}: only an address may add a number", statement.opcode, what),
         fmt::format("add it first: add.u32 t, {}, …", statement.operands[furthest - 1].text));
  }
  fail(name, place, fmt::format("{} {}", statement.opcode, what),
       fmt::format("it takes {}{}", fmt::join(wanted, "; or "), is_at_end ? "" : "; is there a semicolon before it?"));
}

}  // namespace ptxlat::snippet
