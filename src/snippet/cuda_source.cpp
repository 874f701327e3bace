// SPDX-License-Identifier: Apache-2.0
#include "snippet/cuda_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/error.h"
#include "isa/cuda_text.h"
#include "isa/types.h"
#include "snippet/cuda_types.h"

namespace ptxlat::snippet {

namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A word or a symbol of C++.
struct Piece {
  std::string text;
  Place place;
  bool is_name() const { return begins_word(text.front()); }
};

// "(*(p+(i)))" for "p[i]", which C++ takes as the same. Adds what was between brackets to `indices`.
std::string without_indices(std::string text, std::vector<std::string>& indices) {
  for (auto open = text.find('['); open != std::string::npos; open = text.find('[')) {
    std::size_t close = open + 1;
    for (int depth = 1; close < text.size(); ++close) {
      depth += text[close] == '[' ? 1 : text[close] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    auto begin = open;
    while (begin > 0 && continues_word(text[begin - 1])) --begin;
    if (close >= text.size() || begin == open || !begins_word(text[begin])) return text;  // no index of a name
    const auto name = text.substr(begin, open - begin), index = text.substr(open + 1, close - open - 1);
    text.replace(begin, close + 1 - begin, fmt::format("(*({}+({})))", name, index));
    indices.push_back(index);
  }
  return text;
}

// A word of the text, and not a part of one or a member, replaced everywhere.
std::string with_word_replaced(const std::string& text, const std::string& word, const std::string& by) {
  std::string replaced;
  for (std::size_t at = 0; at < text.size();) {
    if (!continues_word(text[at])) {
      replaced += text[at++];
      continue;
    }
    auto end = at;
    while (end < text.size() && continues_word(text[end])) ++end;
    const auto here = text.substr(at, end - at);
    const bool is_member = at > 0 && (text[at - 1] == '.' || (at > 1 && text[at - 1] == '>' && text[at - 2] == '-'));
    replaced += here == word && !is_member ? by : here;
    at = end;
  }
  return replaced;
}

// Functions of CUDA C whose first argument is a pointer.
bool takes_pointer(const std::string& function) {
  return function.starts_with("atomic") || function.starts_with("__ld");
}

// The place after a text that begins at this one.
Place after(Place place, std::string_view text) {
  for (const char c : text) place = c == '\n' ? Place{place.line + 1, 1} : Place{place.line, place.column + 1};
  return place;
}

std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces;
  Place place;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (begins_word(c)) {
      while (end < text.size() && continues_word(text[end])) ++end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (end < text.size() && (continues_word(text[end]) || text[end] == '.')) ++end;
    } else if (end < text.size() && std::string_view("=<>!&|+-*/%^").find(c) != std::string_view::npos &&
               (text[end] == '=' || text[end] == c)) {
      ++end;
      const bool is_shift = c == text[end - 1] && (c == '<' || c == '>');
      if (is_shift && end < text.size() && text[end] == '=') ++end;
    }
    if (std::isspace(static_cast<unsigned char>(c)) == 0) pieces.push_back({text.substr(at, end - at), place});
    place = after(place, std::string_view(text).substr(at, end - at));
    at = end;
  }
  return pieces;
}

bool is_type_word(const std::string& word) {
  static const std::set<std::string> words = {
      "float",   "double",   "int",     "unsigned", "signed",        "long",           "short",    "char",
      "bool",    "auto",     "const",   "__half",   "half",          "half2",          "__half2",  "uint32_t",
      "int32_t", "uint64_t", "int64_t", "size_t",   "__nv_bfloat16", "__nv_bfloat162", "constexpr"};
  return words.contains(word);
}

bool is_other_word(const std::string& word) {
  static const std::set<std::string> words = {"true",     "false",   "sizeof",    "static_cast", "reinterpret_cast",
                                              "INFINITY", "NAN",     "threadIdx", "blockIdx",    "blockDim",
                                              "gridDim",  "warpSize"};
  return words.contains(word);
}

class Reader {
 public:
  Reader(CudaText& text, const CudaFunctions& functions, const Marks& marks) : text_(text), functions_(functions) {
    for (const auto* named : {&marks.sources, &marks.results, &marks.types}) {
      for (const auto& one : *named) {
        if (!one.type.empty()) given_[one.name] = one.type;
      }
    }
    for (const auto& one : marks.results) wanted_results_.push_back(one.name);
  }

  void read(const std::string& written) {
    std::vector<std::string> indices;
    const auto text = without_indices(written, indices);
    for (const auto& index : indices) {
      std::string before;
      for (const auto& piece : pieces_of(index)) {
        if (piece.is_name() && before != "." && before != "->") indices_.insert(piece.text);
        before = piece.text;
      }
    }
    pieces_ = pieces_of(text);
    if (pieces_.empty()) fail(text_.name, {}, "there is no expression here");
    if (const auto statement = isa::statement_in(text)) {
      fail(text_.name, after(Place{}, text.substr(0, statement->at)),
           fmt::format("{}: only expressions and assignments are measured", statement->what),
           statement->what == "asm" ? "give the PTX itself: ptxlat measure 'mad.lo.u32 d, a, b, c'"
                                    : straight_line_advice);
    }
    // Braces and arrays are not straight-line code; the words of a string or a comment are not names.
    if (const auto beyond = isa::beyond_expressions(text))
      fail(text_.name, after(Place{}, text.substr(0, beyond->at)),
           fmt::format("{}: only expressions and assignments are measured", beyond->what));
    has_assignment_ = std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.text == "="; });
    const bool has_d =
        std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.text == "d"; });
    const std::string result = has_d ? "result" : "d";
    text_.statements = has_assignment_ ? text : result + " = " + text;
    if (!has_assignment_) text_.results.push_back({result, {}, {}});
    for (std::size_t i = 0; i < pieces_.size(); ++i) read_name(i);
    if (!wanted_results_.empty()) {
      std::vector<NamedRegister> wanted;
      for (const auto& name : wanted_results_) {
        const auto found = std::find_if(text_.results.begin(), text_.results.end(),
                                        [&](const NamedRegister& one) { return one.name == name; });
        if (found == text_.results.end()) fail(text_.name, {}, fmt::format("the result {} is not assigned", name));
        wanted.push_back(*found);
      }
      text_.results = std::move(wanted);
    }
    find_types();
  }

 private:
  const std::string& at(std::size_t i) const {
    static const std::string none;
    return i < pieces_.size() ? pieces_[i].text : none;
  }

  void read_name(std::size_t i) {
    const auto& piece = pieces_[i];
    if (is_type_word(piece.text)) need_header(header_of_type(piece.text));
    if (!piece.is_name() || is_type_word(piece.text) || is_other_word(piece.text)) return;
    const std::string before = i == 0 ? "" : at(i - 1);
    if (before == "." || before == "->" || before == "::") return;
    if (at(i + 1) == "(") {
      for (const auto& header : functions_.headers(piece.text)) need_header(header);
      return;
    }
    if (at(i + 1) == "::") return;
    const bool is_declared_here = begins_word(before.empty() ? ' ' : before.front()) && is_type_word(before);
    if (at(i + 1) == "=" && !is_pointer_at(i)) {
      if (is_declared_here) {
        locals_.insert(piece.text);
      } else if (!locals_.contains(piece.text) && !is_result(piece.text)) {
        if (is_source(piece.text))
          fail(text_.name, piece.place, fmt::format("{} is read before it is assigned", piece.text),
               "give the new value another name");
        text_.results.push_back({piece.text, {}, piece.place});
      }
      return;
    }
    if (at(i + 1).size() > 1 && at(i + 1).back() == '=' && at(i + 1) != "==" && at(i + 1) != "<=" &&
        at(i + 1) != ">=" && at(i + 1) != "!=") {
      fail(text_.name, piece.place, fmt::format("{} {}: give the new value another name", piece.text, at(i + 1)));
    }
    if (is_declared_here) locals_.insert(piece.text);
    if (locals_.contains(piece.text) || is_result(piece.text)) return;
    if (!is_source(piece.text)) text_.sources.push_back({piece.text, {}, piece.place});
    if (is_pointer_at(i)) pointers_.insert(piece.text);
    note_parameter(i);
  }

  // "*p", "*(p + …)", or the first argument of a function that takes a pointer.
  bool is_pointer_at(std::size_t i) const {
    const auto is_dereference = [&](std::size_t star) {
      if (star >= pieces_.size() || at(star) != "*") return false;
      const auto& left = star == 0 ? std::string("(") : at(star - 1);
      return left != ")" && !continues_word(left.back());
    };
    if (i > 0 && is_dereference(i - 1)) return true;
    if (i < 2 || at(i - 1) != "(") return false;
    return is_dereference(i - 2) || (pieces_[i - 2].is_name() && takes_pointer(at(i - 2)));
  }

  void need_header(const std::string& header) {
    if (text_.header != bfloat_header && !header.empty()) text_.header = header;
  }

  bool is_result(const std::string& name) const {
    // The result of an expression is not in the text, where its name may be that of a source.
    return has_assignment_ && std::any_of(text_.results.begin(), text_.results.end(),
                                          [&](const NamedRegister& one) { return one.name == name; });
  }
  bool is_source(const std::string& name) const {
    return std::any_of(text_.sources.begin(), text_.sources.end(),
                       [&](const NamedRegister& one) { return one.name == name; });
  }

  // A name that is a whole argument has the type of the parameter.
  void note_parameter(std::size_t i) {
    if ((at(i + 1) != "," && at(i + 1) != ")") || i == 0 || (at(i - 1) != "," && at(i - 1) != "(")) return;
    std::size_t place = 0;
    int depth = 0;
    for (std::size_t j = i; j-- > 0;) {
      if (at(j) == ")") ++depth;
      if (at(j) == "," && depth == 0) ++place;
      if (at(j) != "(" || depth-- > 0) continue;
      if (j == 0 || !pieces_[j - 1].is_name()) return;
      const auto& function = at(j - 1);
      const auto types = functions_.types(function, place);
      auto& argument = arguments_[at(i)];
      argument.possible.insert(argument.possible.end(), types.begin(), types.end());
      if (types.size() == 1) argument.types.insert(types.front());
      if (!functions_.contains(function) && !is_type_word(function)) argument.of_unknown = function;
      return;
    }
  }

  // What to write for a source whose type is not known.
  std::string advice_for(const std::string& name) {
    const auto& argument = arguments_[name];
    std::vector<std::string> possible;
    for (const auto& type : argument.possible) {
      if (std::find(possible.begin(), possible.end(), type) == possible.end()) possible.push_back(type);
    }
    if (!possible.empty()) return fmt::format("give it: --type {}={}", name, fmt::join(possible, ", or "));
    auto advice = fmt::format("give it: --type {}=f32", name);
    if (!argument.of_unknown.empty())
      advice +=
          fmt::format("; if {0} takes a pointer, --type {1}=u64 and {0}((const float*){1})", argument.of_unknown, name);
    return advice;
  }

  // What a pointer points to: as given ("f32*"), or the only type that is known, or f32.
  void take_pointers(std::set<std::string>& all) {
    const auto assumed = all.size() == 1 ? *all.begin() : std::string("f32");
    std::vector<std::string> guessed;
    for (auto& source : text_.sources) {
      auto given = given_.contains(source.name) ? given_.at(source.name) : std::string();
      const bool is_pointer = given.ends_with('*') || (given.empty() && pointers_.contains(source.name));
      if (!is_pointer) continue;  // or an integer that the text casts
      if (given.empty()) guessed.push_back(source.name);
      const auto pointee = given.empty() ? assumed : given.substr(0, given.size() - 1);
      const auto type = isa::cuda_type(pointee, 0);
      if (type.empty())
        fail(text_.name, source.place, fmt::format("CUDA C has no type for {}", pointee),
             fmt::format("write --type {}=f32*", source.name));
      need_header(header_of_type(pointee));
      // A pointer to global memory, as a kernel's parameter is.
      text_.statements = with_word_replaced(text_.statements, source.name,
                                            fmt::format("(({}*)__cvta_global_to_generic({}))", type, source.name));
      given_[source.name] = "u64";
      all.insert(pointee);
    }
    remark_guess(guessed, "to point to " + assumed, "…*");
  }

  // "a, b are assumed to be f32; --type a=… changes that".
  void remark_guess(const std::vector<std::string>& names, const std::string& guess, const char* type = "…") {
    if (names.empty()) return;
    text_.remarks.push_back(fmt::format("{} {} assumed {}; --type {}={} changes that", fmt::join(names, ", "),
                                        names.size() == 1 ? "is" : "are", guess, names.front(), type));
  }

  void find_types() {
    std::set<std::string> all;
    for (const auto& source : text_.sources) {
      if (pointers_.contains(source.name) || (given_.contains(source.name) && given_.at(source.name).ends_with('*')) ||
          indices_.contains(source.name))
        continue;
      if (given_.contains(source.name)) all.insert(given_.at(source.name));
      if (arguments_[source.name].types.size() == 1) all.insert(*arguments_[source.name].types.begin());
    }
    take_pointers(all);
    std::vector<std::string> guessed, guessed_indices;
    for (auto& source : text_.sources) {
      const auto& found = arguments_[source.name].types;
      if (given_.contains(source.name)) {
        source.type = given_.at(source.name);
      } else if (found.size() == 1) {
        source.type = *found.begin();
      } else if (indices_.contains(source.name)) {
        source.type = "s32";
        guessed_indices.push_back(source.name);
      } else if (found.empty() && all.size() == 1) {
        source.type = *all.begin();
        guessed.push_back(source.name);
      } else {
        fail(text_.name, source.place, fmt::format("the type of {} is not known", source.name),
             advice_for(source.name));
      }
      if (isa::cuda_type(source.type, 0).empty())
        fail(text_.name, source.place, fmt::format("CUDA C has no type for {} .{}", source.name, source.type));
      need_header(header_of_type(source.type));
    }
    if (!guessed.empty()) remark_guess(guessed, fmt::format("to be {}, like the other sources", *all.begin()));
    remark_guess(guessed_indices, "to be s32, as an index");
    for (auto& result : text_.results) {
      if (given_.contains(result.name)) result.type = given_.at(result.name);
      need_header(header_of_type(result.type));
    }
  }

  // The functions that a name is a whole argument of.
  //   types       of parameters that have one type; possible: of all
  //   of_unknown  a function that the catalogue does not have; empty if there is none
  struct Argument {
    std::set<std::string> types;
    std::vector<std::string> possible;
    std::string of_unknown;
  };

  CudaText& text_;
  const CudaFunctions& functions_;
  std::vector<Piece> pieces_;
  std::map<std::string, std::string> given_;
  std::map<std::string, Argument> arguments_;
  std::set<std::string> locals_, pointers_, indices_;
  std::vector<std::string> wanted_results_;
  bool has_assignment_ = false;
};

}  // namespace

isa::Form cuda_form(const CudaText& text, const std::vector<NamedRegister>& results, const std::string& statements) {
  isa::Form form;
  form.ptx = "snippet";
  form.opcode = "snippet";
  form.chapter = "snippet";
  form.text = statements;
  for (const auto& result : results) form.operands.push_back({result.name, result.type, true});
  for (const auto& source : text.sources) {
    form.operands.push_back({source.name, source.type});
    form.dependence.push_back(source.name);
  }
  form.inputs.resize(1);
  form.cuda = {statements, text.header, {}};
  return form;
}

std::string assumptions_of(const CudaText& text) { return fmt::format("{}", fmt::join(text.remarks, "; ")); }

CudaText read_cuda(const std::string& text, const std::string& name, const isa::Catalogue& catalogue,
                   const Marks& marks) {
  if (text.size() > most_text_bytes) fail(name, {}, fmt::format("it has more than {} bytes", most_text_bytes));
  CudaText read;
  read.name = name;
  Reader(read, CudaFunctions(catalogue), marks).read(text);
  return read;
}

isa::Form function_of(const CudaText& text) { return cuda_form(text, text.results, text.statements); }

std::optional<Snippet> understand_compiled(const CudaText& text, const cuda::CudaFunction& compiled,
                                           const Syntaxes& syntaxes, const isa::Catalogue& catalogue) {
  if (!compiled.problem.empty()) fail(text.name, {}, compiled.problem, assumptions_of(text));
  if (!compiled.module.empty()) return std::nullopt;
  auto ptx = compiled.text;
  for (const auto* named : {&text.sources, &text.results}) {
    for (const auto& one : *named) {
      const auto hole = "{" + one.name + "}";
      for (auto at = ptx.find(hole); at != std::string::npos; at = ptx.find(hole))
        ptx.replace(at, hole.size(), one.name);
    }
  }
  try {
    auto snippet =
        understand(parse(ptx, "NVRTC's PTX"), "NVRTC's PTX", syntaxes, catalogue, {text.sources, text.results, {}});
    snippet.remarks.insert(snippet.remarks.begin(), text.remarks.begin(), text.remarks.end());
    return snippet;
  } catch (const Error& error) {
    if (error.exit_code != ExitCode::usage) throw;
    return std::nullopt;
  }
}

Snippet names_of(const CudaText& text) {
  Snippet snippet;
  snippet.name = text.name;
  snippet.remarks = text.remarks;
  for (const auto* named : {&text.sources, &text.results}) {
    for (const auto& one : *named) {
      (named == &text.sources ? snippet.sources : snippet.results).push_back(snippet.values.size());
      snippet.values.push_back({one.name, one.type, std::nullopt, one.place});
    }
  }
  if (text.sources.size() > 1) {
    snippet.remarks.emplace_back(
        "the code branches or calls: the time from all sources together is measured, which no single source need take");
  }
  return snippet;
}

Plan plan_together(const CudaText& text, const isa::Form& compiled) {
  Plan plan;
  std::vector<std::string> sources;
  for (const auto& source : text.sources) sources.push_back(source.name);
  for (const auto& result : text.results) {
    auto form = std::make_unique<SnippetForm>(SnippetForm{compiled, {}, 0});
    const auto wanted = std::find_if(form->form.operands.begin(), form->form.operands.end(),
                                     [&](const isa::Operand& one) { return one.is_result && one.name == result.name; });
    std::iter_swap(form->form.operands.begin(), wanted);
    plan.pairs.push_back({fmt::format("{}", fmt::join(sources, ", ")),
                          result.name,
                          {form.get(), sources.size() == 1 ? sources.front() : std::string{}}});
    plan.forms.push_back(std::move(form));
  }
  return plan;
}

}  // namespace ptxlat::snippet
