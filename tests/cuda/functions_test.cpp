// SPDX-License-Identifier: Apache-2.0
#include "cuda/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::cuda;

namespace {

isa::Form form_of(const std::string& function, const std::string& header = {}, const std::string& option = {}) {
  isa::Form form;
  form.ptx = function + (option.empty() ? "" : " " + option);
  form.text = "{d} = " + function + "({a})";
  form.cuda = isa::CudaSource{form.text, header, option};
  form.unsupported_because = "not compiled";
  form.operands = {{"d", "f32", true}, {"a", "f32"}};
  return form;
}

// Compiles every function to neg.f32; rejects those that the test names as a compiler does.
struct StandInCompiler {
  std::vector<std::string> unknown;             // named by line
  std::vector<std::string> crashing;            // takes the compiler down, without a word about where
  std::vector<std::vector<std::string>> calls;  // the options of each

  assemble::CompileOutcome compile(const std::string& program, const std::vector<std::string>& options) {
    calls.push_back(options);
    assemble::CompileOutcome outcome;
    std::string ptx;
    std::istringstream lines(program);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      for (const auto& function : unknown) {
        if (line.find(" " + function + "(") == std::string::npos) continue;
        outcome.log +=
            fmt::format("functions.cu({}): error: identifier \"{}\" is undefined\n  here\n", number, function);
      }
      for (const auto& function : crashing) {
        if (line.find(" " + function + "(") != std::string::npos)
          return {std::nullopt, "NVRTC died of signal 11", true};
      }
      const auto at = line.find("ptxlat_function_");
      if (at == std::string::npos) continue;
      const auto name = line.substr(at, line.find('(', at) - at);
      ptx += fmt::format(
          ".visible .func (.param .align 4 .b8 func_retval0[4]) {0}(.param .b32 {0}_param_0)\n{{\n"
          ".reg .f32 %f<3>;\nld.param.f32 %f1, [{0}_param_0];\nneg.f32 %f2, %f1;\n"
          "st.param.f32 [func_retval0+0], %f2;\nret;\n}}\n",
          name);
    }
    if (outcome.log.empty()) outcome.ptx = ptx;
    return outcome;
  }

  CudaCompiler compiler() {
    return [this](const std::string& program, const std::vector<std::string>& options) {
      return compile(program, options);
    };
  }
};

std::vector<const isa::Form*> pointers(const std::vector<isa::Form>& forms) {
  std::vector<const isa::Form*> all;
  for (const auto& form : forms) all.push_back(&form);
  return all;
}

}  // namespace

TEST_CASE("functions of one header and one option are compiled together") {
  StandInCompiler nvrtc;
  const std::vector<isa::Form> forms = {form_of("sinf"), form_of("cosf"), form_of("sinf", {}, "--use_fast_math"),
                                        form_of("hsin", "cuda_fp16.h")};
  const auto functions = compile_functions(pointers(forms), {90, "a"}, "/headers", nvrtc.compiler());
  REQUIRE(functions.size() == 4);
  for (const auto& function : functions) CHECK(function.text == "neg.f32 {d}, {a};");
  CHECK(functions[2].form == "sinf --use_fast_math");
  REQUIRE(nvrtc.calls.size() == 3);
  for (const auto& options : nvrtc.calls) {
    CHECK(std::count(options.begin(), options.end(), "--gpu-architecture=compute_90a") == 1);
  }
  const auto with = [&](const std::string& option) {
    return std::count_if(nvrtc.calls.begin(), nvrtc.calls.end(), [&](const std::vector<std::string>& options) {
      return std::find(options.begin(), options.end(), option) != options.end();
    });
  };
  CHECK(with("--use_fast_math") == 1);
  CHECK(with("--include-path=/headers") == 1);
}

TEST_CASE("a function that the compiler does not know only affects itself, with the compiler's message") {
  StandInCompiler nvrtc;
  nvrtc.unknown = {"__tanhf", "__new"};
  const std::vector<isa::Form> forms = {form_of("sinf"), form_of("__tanhf"), form_of("cosf"), form_of("__new")};
  const auto functions = compile_functions(pointers(forms), {90, {}}, {}, nvrtc.compiler());
  CHECK(functions[0].problem.empty());
  CHECK(functions[1].problem == "identifier \"__tanhf\" is undefined");
  CHECK(functions[2].text == "neg.f32 {d}, {a};");
  CHECK(functions[3].problem == "identifier \"__new\" is undefined");
  CHECK(nvrtc.calls.size() == 2);
}

TEST_CASE("a function over which the compiler crashes is found by halving") {
  StandInCompiler nvrtc;
  nvrtc.crashing = {"bad"};
  const std::vector<isa::Form> forms = {form_of("a1"), form_of("a2"), form_of("bad"), form_of("a3"), form_of("a4")};
  const auto functions = compile_functions(pointers(forms), {90, {}}, {}, nvrtc.compiler());
  for (const auto& function : functions) {
    CHECK(function.problem == (function.form == "bad" ? "NVRTC died of signal 11" : ""));
    CHECK(function.compiler_failed == (function.form == "bad"));
  }
}

TEST_CASE("a compiler that rejects everything is not asked about each function") {
  int calls = 0;
  const CudaCompiler compiler = [&](const std::string&, const std::vector<std::string>&) {
    ++calls;
    return assemble::CompileOutcome{std::nullopt, "nvrtc: error: invalid value for --gpu-architecture (-arch)\nmore"};
  };
  const std::vector<isa::Form> forms = {form_of("sinf"), form_of("cosf"), form_of("tanf")};
  for (const auto& function : compile_functions(pointers(forms), {50, {}}, {}, compiler))
    CHECK(function.problem == "nvrtc: error: invalid value for --gpu-architecture (-arch)");
  CHECK(calls == 2);
}

TEST_CASE("without CUDA's headers, functions that need one say so and the rest is compiled") {
  StandInCompiler nvrtc;
  const std::vector<isa::Form> forms = {form_of("hsin", "cuda_fp16.h"), form_of("sinf")};
  const auto functions = compile_functions(pointers(forms), {90, {}}, {}, nvrtc.compiler());
  CHECK(functions[0].problem.find("cuda_fp16.h") != std::string::npos);
  CHECK(functions[1].problem.empty());
}

TEST_CASE("compiled functions make the catalogue's forms ordinary ones") {
  isa::Catalogue catalogue;
  catalogue.forms = {form_of("sinf"), form_of("__tanhf"), form_of("cosf"), form_of("tanf")};
  apply_compiled(catalogue.forms, {"nvrtc-13.0.88",
                                   {{"sinf", "sin.approx.f32 {d}, {a};", {".global .b8 t[1];"}, {}},
                                    {"__tanhf", {}, {}, "identifier \"__tanhf\" is undefined"},
                                    {"tanf", {}, {}, "NVRTC died of signal 11", true}}});
  CHECK(catalogue.forms[0].text == "sin.approx.f32 {d}, {a};");
  CHECK(catalogue.forms[0].module == std::vector<std::string>{".global .b8 t[1];"});
  CHECK(catalogue.forms[0].unsupported_because.empty());
  CHECK(catalogue.forms[1].unsupported_because == "identifier \"__tanhf\" is undefined");
  CHECK(catalogue.forms[2].unsupported_because == "not compiled");
  for (const std::size_t i : {0, 1, 2}) CHECK_FALSE(catalogue.forms[i].compiler_failed);
  CHECK(catalogue.forms[3].compiler_failed);
}
