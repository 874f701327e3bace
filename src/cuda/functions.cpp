// SPDX-License-Identifier: Apache-2.0
#include "cuda/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "cuda/program.h"
#include "cuda/ptx_module.h"
#include "cuda/splice.h"

namespace ptxlat::cuda {

namespace {

using Forms = std::vector<const isa::Form*>;

// The first error that is about each line of the program: "functions.cu(7): error: identifier "__foo" is undefined".
std::map<int, std::string> errors_by_line(const std::string& log) {
  constexpr std::string_view file = "functions.cu(", error = "error: ";
  std::map<int, std::string> errors;
  for (auto at = log.find(file); at != std::string::npos; at = log.find(file, at + 1)) {
    const auto end = std::min(log.find('\n', at), log.size());
    const std::string_view words = std::string_view(log).substr(at + file.size(), end - at - file.size());
    int line = 0;
    const auto read = std::from_chars(words.data(), words.data() + words.size(), line);
    auto rest = words.substr(static_cast<std::size_t>(read.ptr - words.data()));
    if (read.ec != std::errc{} || !rest.starts_with("): ")) continue;
    rest.remove_prefix(3);
    // "catastrophic error: ", "fatal error: "
    if (!rest.starts_with(error)) rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
    if (rest.starts_with(error)) errors.emplace(line, rest.substr(error.size()));
  }
  return errors;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The forms of one header and one option, on their way through the compiler.
struct Group {
  const CudaCompiler& compiler;
  std::vector<std::string> options;
  std::string header;
  std::map<const isa::Form*, CudaFunction>& made;

  void reject(const isa::Form* form, const std::string& words, bool compiler_failed = false) {
    made[form] = {form->ptx, {}, {}, words, compiler_failed};
  }

  void compile(const Forms& forms) {
    if (forms.empty()) return;
    const auto program = program_of(forms, header);
    const auto outcome = compiler(program.text, options);
    if (outcome.ptx) {
      take(forms, parse_ptx_module(*outcome.ptx));
      return;
    }
    const auto errors = errors_by_line(outcome.log);
    Forms innocent;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      const auto error = errors.find(program.first_line + static_cast<int>(i));
      if (error == errors.end()) {
        innocent.push_back(forms[i]);
      } else {
        reject(forms[i], error->second);
      }
    }
    if (innocent.size() < forms.size()) {
      compile(innocent);
    } else {
      separate(forms, outcome);
    }
  }

  // An error that names no function: it concerns everything (an unknown target, a broken header), or one of them
  // crashes the compiler.
  void separate(const Forms& forms, const assemble::CompileOutcome& outcome) {
    const bool rejects_everything = forms.size() == 1 || !compiler(program_of({}, header).text, options).ptx;
    if (rejects_everything) {
      for (const auto* form : forms) reject(form, first_line(outcome.log), outcome.compiler_failed);
      return;
    }
    const auto middle = forms.begin() + static_cast<std::ptrdiff_t>(forms.size() / 2);
    compile({forms.begin(), middle});
    compile({middle, forms.end()});
  }

  void take(const Forms& forms, const PtxModule& module) {
    for (std::size_t i = 0; i < forms.size(); ++i) {
      auto spliced = splice(module, function_name(i), interface_of(*forms[i]));
      made[forms[i]] = {forms[i]->ptx, std::move(spliced.text), std::move(spliced.module), std::move(spliced.problem)};
    }
  }
};

}  // namespace

std::vector<std::string> compiler_options(const isa::Target& target) {
  // Relocatable, so that uncalled functions are kept, each with its parameters.
  return {"--relocatable-device-code=true", "--std=c++17",
          fmt::format("--gpu-architecture=compute_{}{}", target.sm, target.suffix)};
}

std::vector<CudaFunction> compile_functions(const Forms& forms, const isa::Target& target, const std::string& headers,
                                            const CudaCompiler& compiler) {
  std::map<std::pair<std::string, std::string>, Forms> groups;
  for (const auto* form : forms) {
    if (form->cuda) groups[{form->cuda->header, form->cuda->option}].push_back(form);
  }
  std::map<const isa::Form*, CudaFunction> made;
  for (const auto& [key, members] : groups) {
    const auto& [header, option] = key;
    auto options = compiler_options(target);
    if (!option.empty()) options.push_back(option);
    if (!header.empty()) options.push_back("--include-path=" + headers);
    Group group{compiler, options, header, made};
    if (!header.empty() && headers.empty()) {
      for (const auto* form : members)
        group.reject(form, "needs " + header + ", which this NVRTC lacks; get it with tools/toolkits.sh");
    } else {
      group.compile(members);
    }
  }
  std::vector<CudaFunction> functions;
  for (const auto* form : forms) {
    if (const auto found = made.find(form); found != made.end()) functions.push_back(std::move(found->second));
  }
  return functions;
}

void apply_compiled(std::vector<isa::Form>& forms, const CudaFunctions& functions) {
  std::map<std::string, const CudaFunction*> by_form;
  for (const auto& function : functions.functions) by_form[function.form] = &function;
  for (auto& form : forms) {
    const auto found = form.cuda ? by_form.find(form.ptx) : by_form.end();
    if (found == by_form.end()) continue;
    const auto& function = *found->second;
    form.unsupported_because = function.problem;
    form.compiler_failed = function.compiler_failed;
    if (!function.problem.empty()) continue;
    form.text = function.text;
    form.module = function.module;
  }
}

}  // namespace ptxlat::cuda
