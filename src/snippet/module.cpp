// SPDX-License-Identifier: Apache-2.0
#include "snippet/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <set>

#include "base/error.h"

namespace ptxlat::snippet {

namespace {

bool loads_parameter(const Statement& statement) { return statement.opcode.starts_with("ld.param"); }
bool stores_result(const Statement& statement) { return statement.opcode.starts_with("st.param"); }

bool ends_kernel(const Statement& statement) {
  const auto stem = stem_of(statement);
  return stem == "ret" || stem == "exit";
}

// A return, or a jump to nothing but a return.
bool leaves(const Function& function, const Statement& statement) {
  if (ends_kernel(statement)) return true;
  if (stem_of(statement) != "bra" || statement.operands.size() != 1) return false;
  const auto label = function.labels.find(statement.operands.front().text);
  if (label == function.labels.end()) return false;
  return label->second >= function.statements.size() || ends_kernel(function.statements[label->second]);
}

// Whether anything of it can be measured.
bool has_code(const Statement& statement) {
  return !loads_parameter(statement) && !stores_result(statement) && !ends_kernel(statement);
}

// Adds the names that a statement reads: all but its first operand, which is its result unless it stores.
void add_names_read(const Statement& statement, std::set<std::string>& names) {
  static const std::set<std::string> without_result = {"st", "red", "bar", "barrier", "bra", "call", "prefetch"};
  if (statement.guard) names.insert(statement.guard->name.text);
  int depth = 0;
  bool is_result = !without_result.contains(stem_of(statement));
  for (const auto& token : statement.operands) {
    if (token.text == "{" || token.text == "[" || token.text == "(") ++depth;
    if (token.text == "}" || token.text == "]" || token.text == ")") --depth;
    if (token.text == "," && depth == 0) is_result = false;
    if (token.kind == Token::Kind::name && !is_result) names.insert(token.text);
  }
}

int line_of(const Statement& statement, LinesOf lines_of) {
  return lines_of == LinesOf::ptx ? statement.place.line : statement.source_line;
}

bool is_in(const Statement& statement, const std::optional<Lines>& lines, LinesOf lines_of) {
  const int line = line_of(statement, lines_of);
  return !lines || (line >= lines->first && line <= lines->last);
}

// "saxpy in lines 12 to 40".
std::string described(const Function& function, LinesOf lines_of) {
  std::vector<Statement> code;
  std::copy_if(function.statements.begin(), function.statements.end(), std::back_inserter(code), has_code);
  const auto [first, last] = lines_with(code, lines_of);
  return last == 0 ? function.name : fmt::format("{} in lines {} to {}", function.name, first, last);
}

[[noreturn]] void fail_without_code(const std::string& name, const Lines& lines, const std::string& advice = {}) {
  throw Error(ExitCode::usage, fmt::format("{}: lines {} to {} have no instruction", name, lines.first, lines.last),
              advice);
}

constexpr std::size_t most_named = 5;

std::string listed(const std::vector<const Function*>& functions, LinesOf lines_of) {
  std::vector<std::string> names;
  for (const auto* function : functions) {
    if (names.size() < most_named) names.push_back(described(*function, lines_of));
  }
  return fmt::format("{}{}", fmt::join(names, ", "),
                     functions.size() > most_named ? fmt::format(", and {} more", functions.size() - most_named) : "");
}

// Those that have instructions in the lines; without lines, the functions only if there is no kernel.
std::vector<const Function*> meant(const std::vector<Function>& functions, const std::optional<Lines>& lines,
                                   LinesOf lines_of) {
  std::vector<const Function*> meant;
  for (const auto& function : functions) {
    if (std::any_of(function.statements.begin(), function.statements.end(),
                    [&](const Statement& one) { return has_code(one) && is_in(one, lines, lines_of); }))
      meant.push_back(&function);
  }
  const auto is_kernel = [](const Function* one) { return one->is_kernel; };
  if (!lines && std::any_of(meant.begin(), meant.end(), is_kernel))
    std::erase_if(meant, [&](const Function* one) { return !is_kernel(one); });
  return meant;
}

const Function& chosen(const std::vector<Function>& functions, const std::string& name,
                       const std::optional<Lines>& lines, LinesOf lines_of) {
  const auto all = meant(functions, std::nullopt, lines_of);
  if (all.empty()) fail(name, {}, "there is no kernel with instructions here");
  const auto found = meant(functions, lines, lines_of);
  if (found.empty()) fail_without_code(name, *lines, "it has " + listed(all, lines_of));
  if (found.size() > 1)
    throw Error(ExitCode::usage,
                fmt::format("{}: {} kernels or functions are meant: {}", name, found.size(), listed(found, lines_of)),
                "choose the lines of one: --lines FIRST:LAST");
  return *found.front();
}

void require_straight_line(const Function& function, const Statement& statement, const std::string& name) {
  const auto stem = stem_of(statement);
  if (stem != "bra" && stem != "brx" && stem != "call") return;
  fail(name, statement.place,
       fmt::format("{} of {}: only code without branches is measured", statement.opcode, function.name),
       "choose straight lines: --lines FIRST:LAST");
}

}  // namespace

Lines lines_with(const std::vector<Statement>& statements, LinesOf lines_of) {
  Lines with{std::numeric_limits<int>::max(), 0};
  for (const auto& statement : statements) {
    const int line = line_of(statement, lines_of);
    if (line == 0) continue;
    with.first = std::min(with.first, line);
    with.last = std::max(with.last, line);
  }
  return with;
}

Lines lines_from(const std::string& text) {
  Lines lines;
  const auto colon = std::min(text.find(':'), text.size());
  const auto number = [&](std::size_t begin, std::size_t end) {
    int value = 0;
    const auto read = std::from_chars(text.data() + begin, text.data() + end, value);
    return read.ec == std::errc() && read.ptr == text.data() + end && value > 0 ? value : 0;
  };
  lines.first = number(0, colon);
  lines.last = colon == text.size() ? lines.first : number(colon + 1, text.size());
  if (lines.first == 0 || lines.last < lines.first)
    throw Error(ExitCode::usage, fmt::format("--lines {}: these are no lines", text), "write them like --lines 10:20");
  return lines;
}

Text snippet_of(const std::vector<Function>& functions, const std::string& name, const std::optional<Lines>& lines,
                LinesOf lines_of) {
  const auto& function = chosen(functions, name, lines, lines_of);
  Text text;
  text.is_of_kernel = true;
  std::set<std::string> used;
  for (const auto& statement : function.statements) {
    if (!is_in(statement, lines, lines_of) || stores_result(statement)) {
      add_names_read(statement, text.read_elsewhere);
      continue;
    }
    if (loads_parameter(statement)) continue;
    if (leaves(function, statement)) {
      if (!statement.guard) continue;
      text.not_results.insert(statement.guard->name.text);
      text.remarks.push_back(
          fmt::format("{}:{}: the early exit is left out", statement.place.line, statement.place.column));
      continue;
    }
    require_straight_line(function, statement, name);
    if (text.statements.size() == most_instructions)
      fail(name, statement.place, fmt::format("a snippet has at most {} instructions", most_instructions),
           "choose fewer lines: --lines FIRST:LAST");
    if (statement.guard) used.insert(statement.guard->name.text);
    for (const auto& token : statement.operands) used.insert(token.text);
    text.statements.push_back(statement);
  }
  for (const auto& declared : function.declared) {
    if (used.contains(declared.name)) text.declared.push_back(declared);
  }
  if (text.statements.empty())
    fail(name, function.begin, fmt::format("nothing of {} is left to measure", function.name),
         "loads of parameters and exits are left out");
  return text;
}

Text read_ptx(const std::string& text, const std::string& name, const std::optional<Lines>& lines) {
  if (is_module(text)) return snippet_of(parse_module(text, name), name, lines);
  auto parsed = parse(text, name);
  const auto is_frame = [&](const Statement& one) {
    return loads_parameter(one) || (ends_kernel(one) && !one.guard && &one == &parsed.statements.back());
  };
  const bool is_all_frame = std::all_of(parsed.statements.begin(), parsed.statements.end(), is_frame);
  if (!lines && is_all_frame) return parsed;
  std::vector<Statement> kept;
  for (const auto& statement : parsed.statements) {
    if (!is_in(statement, lines, LinesOf::ptx)) {
      add_names_read(statement, parsed.read_elsewhere);
    } else if (!is_frame(statement)) {
      kept.push_back(statement);
    }
  }
  if (kept.empty()) fail_without_code(name, *lines);
  parsed.statements = std::move(kept);
  return parsed;
}

}  // namespace ptxlat::snippet
