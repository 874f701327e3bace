// SPDX-License-Identifier: Apache-2.0
#include "cuda/ptx_module.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <utility>

namespace ptxlat::cuda {

namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

std::string without_comments(const std::string& text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      const auto end = text.find("*/", i);
      i = end == std::string::npos ? text.size() : end + 2;
    } else {
      kept += text[i++];
    }
  }
  return kept;
}

// Without leading and trailing space, and with each run of space reduced to one.
std::string tidied(const std::string& text) {
  std::string tidy;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) {
      tidy += c;
    } else if (!tidy.empty() && tidy.back() != ' ') {
      tidy += ' ';
    }
  }
  if (tidy.ends_with(' ')) tidy.pop_back();
  return tidy;
}

// The name that ends before `end`.
std::string name_before(const std::string& text, std::size_t end) {
  while (end > 0 && !continues_name(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && (continues_name(text[begin - 1]) || text[begin - 1] == '%')) --begin;
  return text.substr(begin, end - begin);
}

// The names in "(.param .b32 x, .param .align 4 .b8 y[8])".
std::vector<std::string> names_in_list(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const auto end = std::min(list.find(',', begin), list.size());
    const auto one = list.substr(begin, end - begin);
    if (auto name = name_before(one, std::min(one.find('['), one.size())); !name.empty()) names.push_back(name);
    begin = end + 1;
  }
  return names;
}

bool is_label(const std::string& text) {
  return text.size() > 1 && text.ends_with(':') && std::all_of(text.begin(), text.end() - 1, continues_name);
}

// The statements of a body. Braces that enclose registers or values belong to their statement.
std::vector<std::string> statements_of(const std::string& body) {
  std::vector<std::string> statements;
  std::string open;
  int vector_depth = 0;
  for (const char c : body) {
    if (open.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    open += c;
    const bool is_scope = open == "{" || open == "}";
    if (!is_scope) vector_depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (vector_depth > 0 || !(is_scope || c == ';' || is_label(open))) continue;
    statements.push_back(tidied(open));
    open.clear();
  }
  return statements;
}

// Without the words that only control linkage.
std::string without_linkage(std::string text) {
  for (const char* word : {".visible ", ".weak "}) {
    if (const auto at = text.find(word); at != std::string::npos) text.erase(at, std::string(word).size());
  }
  return text;
}

void add_function(const std::string& signature, const std::string& body, PtxModule& module) {
  PtxFunction function;
  function.signature = without_linkage(tidied(signature));
  const auto& text = function.signature;
  std::size_t at = text.find(".func") + 5;
  // The first list is that of the result if the name comes after it.
  const auto first = text.find('(', at);
  if (const auto close = text.find(')', at); first == at + 1 || first == at) {
    if (const auto results = names_in_list(text.substr(first + 1, close - first - 1)); !results.empty())
      function.result = results.front();
    at = close + 1;
  }
  const auto open = std::min(text.find('(', at), text.size());
  const auto close = std::min(text.find(')', open), text.size());
  const auto name = name_before(text, open);
  if (open < close) function.parameters = names_in_list(text.substr(open + 1, close - open - 1));
  function.statements = statements_of(body);
  module.functions[name] = std::move(function);
}

void add_variable(const std::string& statement, PtxModule& module) {
  const auto text = without_linkage(tidied(statement));
  if (!text.starts_with(".global") && !text.starts_with(".const")) return;
  const auto end = std::min({text.find('['), text.find('='), text.find(';')});
  module.variables[name_before(text, end)] = text;
}

// Without the lines ".version 8.4", ".target sm_90" and ".address_size 64", which have no semicolon.
std::string without_preamble(const std::string& text) {
  constexpr std::array directives{".version", ".target", ".address_size"};
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = text[i] == '.' && std::any_of(directives.begin(), directives.end(), [&](const char* directive) {
                          return text.compare(i, std::strlen(directive), directive) == 0;
                        });
    if (begins) {
      i = std::min(text.find('\n', i), text.size());
    } else {
      kept += text[i++];
    }
  }
  return kept;
}

}  // namespace

PtxModule parse_ptx_module(const std::string& text) {
  const auto source = without_preamble(without_comments(text));
  PtxModule module;
  std::string signature, open;
  bool is_function = false;  // `open` has .func
  int depth = 0;
  for (const char c : source) {
    if (depth == 0 && c == '{' && std::exchange(is_function, false)) signature = std::exchange(open, {});
    depth = c == '{' ? depth + 1 : c == '}' ? std::max(0, depth - 1) : depth;
    open += c;
    if (depth > 0) continue;
    is_function = is_function || open.ends_with(".func");
    if (!signature.empty() && c == '}') {
      add_function(std::exchange(signature, {}), open.substr(1, open.size() - 2), module);
      open.clear();
    } else if (c == ';') {
      add_variable(std::exchange(open, {}), module);
      is_function = false;
    }
  }
  return module;
}

std::string replace_names(const std::string& text, const std::function<std::string(const std::string&)>& replacement) {
  std::string replaced;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    const bool is_number = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (is_number || begins_name(text[i])) {
      while (end < text.size() && continues_name(text[end])) ++end;
    }
    const auto piece = text.substr(i, end - i);
    replaced += !is_number && begins_name(text[i]) ? replacement(piece) : piece;
    i = end;
  }
  return replaced;
}

}  // namespace ptxlat::cuda
