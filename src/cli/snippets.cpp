// SPDX-License-Identifier: Apache-2.0
#include "cli/snippets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <limits>
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
  return {is_source ? Kind::source : Kind::ptx,
          read_file(snippet, ExitCode::usage, "a snippet is PTX, or a file whose name ends in .ptx or .cu"), snippet};
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

PlannedSnippet planned(snippet::Text text, const std::string& name, const ReadSnippet& read) {
  snippet::choose_cache(text, read.choices);
  auto marks = read.marks;
  if (read.is_one_of_several)
    std::erase_if(marks.types, [&](const snippet::NamedRegister& one) { return !has_name(text, one.name); });
  std::set<std::string> opcodes;
  for (const auto& statement : text.statements) opcodes.insert(opcode_of(statement.opcode));
  PlannedSnippet made;
  made.loaded = load_opcodes(read.selection, opcodes);
  const auto has = [&](const std::string& opcode) {
    const auto& forms = made.loaded.catalogue.forms;
    return std::any_of(forms.begin(), forms.end(),
                       [&](const isa::Form& form) { return opcode_of(form.opcode) == opcode; });
  };
  // Only the whole catalogue has what is like an unknown instruction.
  if (!std::all_of(opcodes.begin(), opcodes.end(), has)) made.loaded = load_catalogue_for(read.selection);
  const snippet::Syntaxes syntaxes(made.loaded.catalogue);
  made.snippet = snippet::understand(std::move(text), name, syntaxes, made.loaded.catalogue, marks);
  plan(made, read.choices);
  return made;
}

// The lines of a file of CUDA C, as the NVRTC that goes with the toolchain compiles them.
PlannedSnippet planned_source(const ReadSnippet& read, const assemble::Toolchain& toolchain,
                              const isa::Target& target) {
  const auto compiled = compile_source(read.given.text, read.given.name, toolchain, target);
  const std::string name = "NVRTC's PTX of " + read.given.name;
  auto text =
      snippet::snippet_of(snippet::parse_module(compiled.ptx, name), name, read.lines, snippet::LinesOf::source);
  auto made = planned(std::move(text), name, read);
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

PlannedSnippet planned_cuda(const ReadSnippet& read, const assemble::Toolchain& toolchain, const isa::Target& target) {
  auto text = *read.cuda;
  const auto is_untyped = [](const snippet::NamedRegister& one) { return one.type.empty(); };
  if (std::any_of(text.results.begin(), text.results.end(), is_untyped))
    snippet::take_types(compiled(snippet::type_questions(text), toolchain, target).functions, text);
  std::vector<isa::Form> forms{snippet::function_of(text)};
  const auto functions = compiled(forms, toolchain, target);
  PlannedSnippet planned;
  planned.nvrtc = functions.compiler;
  planned.loaded = load_opcodes(read.selection, words_of("ret " + functions.functions.front().text));
  const auto& catalogue = planned.loaded.catalogue;
  const snippet::Syntaxes syntaxes(catalogue);
  if (auto understood = snippet::understand_compiled(text, functions.functions.front(), syntaxes, catalogue)) {
    planned.snippet = std::move(*understood);
    plan(planned, read.choices);
  } else {
    cuda::apply_compiled(forms, functions);
    planned.snippet = snippet::names_of(text);
    planned.plan = snippet::plan_together(text, forms.front());
    snippet::choose_witness(planned.plan, catalogue, read.choices);
  }
  return planned;
}

}  // namespace

ReadSnippet read_snippet(GivenSnippet given, const std::optional<snippet::Lines>& lines, const snippet::Marks& marks,
                         const Selection& selection, const snippet::Choices& choices, bool is_one_of_several) {
  using Kind = GivenSnippet::Kind;
  ReadSnippet read{std::move(given), lines, marks, selection, choices, is_one_of_several, nullptr, std::nullopt};
  if (read.given.kind == Kind::source) return read;
  const auto inner = snippet::ptx_of_inline_assembly(read.given.text);
  if (read.given.kind == Kind::expression && lines)
    throw Error(ExitCode::usage, "--lines chooses lines of a file, and --cuda gives an expression",
                "name the file instead: ptxlat measure kernel.cu --lines 10:20");
  if (read.given.kind == Kind::expression && !inner) {
    const auto loaded = load_opcodes(selection, words_of("d " + read.given.text));  // never all
    read.cuda = snippet::read_cuda(read.given.text, read.given.name, loaded.catalogue, marks);
    return read;
  }
  if (read.given.kind == Kind::expression) read.given.name = "asm";
  auto text = snippet::read_ptx(inner.value_or(read.given.text), read.given.name, lines);
  read.ptx = std::make_shared<PlannedSnippet>(planned(std::move(text), read.given.name, read));
  return read;
}

std::shared_ptr<const PlannedSnippet> planned_for(const ReadSnippet& read, const assemble::Toolchain& toolchain,
                                                  const isa::Target& target) {
  if (read.ptx) return read.ptx;
  return std::make_shared<PlannedSnippet>(read.cuda ? planned_cuda(read, toolchain, target)
                                                    : planned_source(read, toolchain, target));
}

std::string measured_text(const ReadSnippet& read, const PlannedSnippet& planned) {
  const bool is_source = read.given.kind == GivenSnippet::Kind::source;
  if (!is_source && !read.lines && !snippet::is_module(read.given.text)) return read.given.text;
  int first = std::numeric_limits<int>::max(), last = 0;
  for (const auto& statement : planned.snippet.text.statements) {
    const int line = is_source ? statement.source_line : statement.place.line;
    if (line == 0) continue;
    first = std::min(first, line);
    last = std::max(last, line);
  }
  std::istringstream lines(read.given.text);
  std::string text;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (number >= first && number <= last) text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

}  // namespace ptxlat::cli
