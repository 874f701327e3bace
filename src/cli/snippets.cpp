// SPDX-License-Identifier: Apache-2.0
#include "cli/snippets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "cli/toolchains.h"
#include "snippet/cuda_types.h"
#include "snippet/inline_assembly.h"
#include "snippet/text.h"

namespace ptxlat::cli {

GivenSnippet given_snippet(const std::string& snippet) {
  using Kind = GivenSnippet::Kind;
  if (snippet == "-") {
    std::string text(snippet::most_module_bytes + 1, '\0');  // one more is too long
    std::cin.read(text.data(), std::ssize(text));
    text.resize(static_cast<std::size_t>(std::cin.gcount()));
    return {Kind::ptx, text, "standard input"};
  }
  const bool is_source = snippet.ends_with(".cu");
  if (!snippet.ends_with(".ptx") && !is_source) {
    std::error_code none;
    const bool may_be_name = snippet.size() < 4096 && snippet.find_first_of(";\n") == std::string::npos;
    if (may_be_name && std::filesystem::is_regular_file(snippet, none))
      throw Error(ExitCode::usage, snippet + " is a file whose name ends neither in .ptx nor in .cu",
                  "a snippet is PTX, or a file of PTX or CUDA C with such a name; a cubin is not one");
    return {Kind::ptx, snippet, "snippet"};
  }
  constexpr char advice[] = "a snippet is PTX, or a file whose name ends in .ptx or .cu";
  auto text = read_file(snippet, ExitCode::usage, advice);
  if (text.find('\0') != std::string::npos)
    throw Error(ExitCode::usage, fmt::format("{} is not text: it has bytes that are 0", snippet), advice);
  return {is_source ? Kind::source : Kind::ptx, std::move(text), snippet};
}

namespace {

// "a", "a=f32".
std::vector<snippet::NamedRegister> named_registers(const std::vector<std::string>& options, const char* option) {
  std::vector<snippet::NamedRegister> named;
  for (const auto& text : options) {
    const auto equals = std::min(text.find('='), text.size());
    snippet::NamedRegister one{text.substr(0, equals), equals < text.size() ? text.substr(equals + 1) : "", {}};
    if (one.type.starts_with('.')) one.type.erase(0, 1);
    const bool is_pointer = one.type.ends_with('*');  // of CUDA C
    if (!one.type.empty() && !is_pointer && isa::register_bits(one.type) == 0)
      throw Error(ExitCode::usage, fmt::format("{} {}: there is no register type {}", option, text, one.type),
                  "types are spelled as in PTX: u32, s64, f16x2, pred");
    named.push_back(std::move(one));
  }
  return named;
}

}  // namespace

snippet::Marks marks_from(const std::vector<std::string>& sources, const std::vector<std::string>& results,
                          const std::vector<std::string>& types) {
  snippet::Marks marks{named_registers(sources, "--source"), named_registers(results, "--result"),
                       named_registers(types, "--type")};
  for (const auto& one : marks.types) {
    if (one.type.empty())
      throw Error(ExitCode::usage, "--type " + one.name + " does not name a type", "write a type like --type a=f32");
  }
  return marks;
}

namespace {

// The entries of the catalogue that a text can name: any of its words.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  return words;
}

void plan(PlannedSnippet& planned, const snippet::Choices& choices) {
  auto& catalogue = planned.loaded.catalogue;
  snippet::choose_values(catalogue, planned.snippet, choices);
  planned.plan = snippet::plan(planned.snippet, catalogue);
  snippet::choose_witness(planned.plan, catalogue, choices);
}

bool has_name(const snippet::Text& text, const std::string& name) {
  return std::any_of(text.statements.begin(), text.statements.end(), [&](const snippet::Statement& statement) {
    return (statement.guard && statement.guard->name.text == name) ||
           std::any_of(statement.operands.begin(), statement.operands.end(),
                       [&](const snippet::Token& token) { return token.text == name; });
  });
}

PlannedSnippet planned(snippet::Text text, const std::string& name, const SnippetRequest& request) {
  snippet::choose_cache(text, request.choices);
  auto marks = request.marks;
  if (request.is_for_several)
    std::erase_if(marks.types, [&](const snippet::NamedRegister& one) { return !has_name(text, one.name); });
  std::vector<std::string> spellings;
  for (const auto& statement : text.statements) spellings.push_back(statement.opcode);
  PlannedSnippet made;
  made.loaded = load_selected(request.selection, spellings);
  const snippet::Syntaxes syntaxes(made.loaded.catalogue);
  made.snippet = snippet::understand(std::move(text), name, syntaxes, made.loaded.catalogue, marks);
  plan(made, request.choices);
  return made;
}

// The lines of a file of CUDA C, as the NVRTC that goes with the toolchain compiles them.
PlannedSnippet planned_source(const GivenSnippet& given, const SnippetRequest& request,
                              const assemble::Toolchain& toolchain, const isa::Target& target) {
  const auto compiled = compile_source(given.text, given.name, toolchain, target);
  const std::string name = "NVRTC's PTX of " + given.name;
  auto text =
      snippet::snippet_of(snippet::parse_module(compiled.ptx, name), name, request.lines, snippet::LinesOf::source);
  auto made = planned(std::move(text), name, request);
  made.nvrtc = compiled.compiler;
  return made;
}

// By the NVRTC that goes with the toolchain.
cuda::CudaFunctions compiled(const std::vector<isa::Form>& forms, const assemble::Toolchain& toolchain,
                             const isa::Target& target) {
  std::vector<const isa::Form*> pointers;
  for (const auto& form : forms) pointers.push_back(&form);
  auto functions = compile_cuda(pointers, toolchain, target);
  if (functions.compiler.empty())
    throw Error(ExitCode::missing_tool, functions.functions.empty() ? "no NVRTC" : functions.functions.front().problem);
  return functions;
}

PlannedSnippet planned_cuda(snippet::CudaText text, const SnippetRequest& request, const assemble::Toolchain& toolchain,
                            const isa::Target& target) {
  const auto is_untyped = [](const snippet::NamedRegister& one) { return one.type.empty(); };
  if (std::any_of(text.results.begin(), text.results.end(), is_untyped))
    snippet::take_types(compiled(snippet::type_questions(text), toolchain, target).functions, text);
  std::vector<isa::Form> forms{snippet::function_of(text)};
  const auto functions = compiled(forms, toolchain, target);
  PlannedSnippet planned;
  planned.nvrtc = functions.compiler;
  planned.loaded = load_opcodes(request.selection, words_of(functions.functions.front().text));
  const auto& catalogue = planned.loaded.catalogue;
  const snippet::Syntaxes syntaxes(catalogue);
  if (auto understood = snippet::understand_compiled(text, functions.functions.front(), syntaxes, catalogue)) {
    planned.snippet = std::move(*understood);
    plan(planned, request.choices);
  } else {
    cuda::apply_compiled(forms, functions);
    planned.snippet = snippet::names_of(text);
    planned.plan = snippet::plan_together(text, forms.front());
    snippet::choose_witness(planned.plan, catalogue, request.choices);
  }
  return planned;
}

}  // namespace

ReadSnippet read_snippet(GivenSnippet given, const SnippetRequest& request) {
  using Kind = GivenSnippet::Kind;
  ReadSnippet read{.given = std::move(given)};
  const bool is_expression = read.given.kind == Kind::expression;
  if (read.given.kind == Kind::source) return read;
  if (is_expression && request.lines)
    throw Error(ExitCode::usage, "--lines chooses lines of a file, and --cuda gives an expression",
                "name the file instead: ptxlat measure kernel.cu --lines 10:20");
  const auto inner = snippet::ptx_of_inline_assembly(read.given.text);
  if (is_expression && !inner) {
    const auto loaded = load_opcodes(request.selection, words_of(read.given.text));
    read.cuda = snippet::read_cuda(read.given.text, read.given.name, loaded.catalogue, request.marks);
    return read;
  }
  if (is_expression) read.given.name = "asm";
  auto text = snippet::read_ptx(inner.value_or(read.given.text), read.given.name, request.lines);
  read.ptx = std::make_shared<PlannedSnippet>(planned(std::move(text), read.given.name, request));
  return read;
}

std::shared_ptr<const PlannedSnippet> planned_for(const ReadSnippet& read, const SnippetRequest& request,
                                                  const assemble::Toolchain& toolchain, const isa::Target& target) {
  if (read.ptx) return read.ptx;
  return std::make_shared<PlannedSnippet>(read.cuda ? planned_cuda(*read.cuda, request, toolchain, target)
                                                    : planned_source(read.given, request, toolchain, target));
}

std::string measured_text(const ReadSnippet& read, const SnippetRequest& request, const PlannedSnippet& planned) {
  const bool is_source = read.given.kind == GivenSnippet::Kind::source;
  if (!is_source && !request.lines && !snippet::is_module(read.given.text)) return read.given.text;
  const auto measured = snippet::lines_with(planned.snippet.text.statements,
                                            is_source ? snippet::LinesOf::source : snippet::LinesOf::ptx);
  std::istringstream lines(read.given.text);
  std::string text;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (number >= measured.first && number <= measured.last) text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

}  // namespace ptxlat::cli
