// SPDX-License-Identifier: Apache-2.0
#include "cuda/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/types.h"

namespace ptxlat::cuda {

namespace {

constexpr const char* elements[] = {"x", "y", "z", "w"};

// The type as which an element is passed, and its size in bytes. A bool is stored as an integer.
std::string passes_as(const std::string& type) {
  if (type == "f16" || type == "bf16") return "unsigned short";
  if (type == "f16x2" || type == "bf16x2" || type == "pred") return "unsigned int";
  return isa::cuda_type(type, 0);
}

int bytes_of(const std::string& type) { return type == "pred" ? 4 : isa::register_bits(type) / 8; }

void add_values(const isa::Operand& operand, std::vector<FunctionValue>& values) {
  for (int i = 0; i < std::max(1, operand.count); ++i) {
    values.push_back(
        {operand.count == 0 ? "{" + operand.name + "}" : fmt::format("{{{}.{}}}", operand.name, i), operand.type, 0});
  }
}

// `name` of a scalar, `name.y` of a vector's element.
std::string element(const isa::Operand& operand, int index) {
  return operand.count == 0 ? operand.name : fmt::format("{}.{}", operand.name, elements[index]);
}

// The same bits as a different type; numbers and bools are unchanged.
std::string converted(const std::string& value, const std::string& type, const std::string& from,
                      const std::string& to) {
  const bool has_bits = type == "f16" || type == "bf16" || type == "f16x2" || type == "bf16x2";
  return has_bits ? fmt::format("bits_of<{}, {}>({})", to, from, value) : value;
}

// One line: "struct result_0 { float d; }; extern "C" __device__ result_0 ptxlat_function_0(float parameter_0) { … }".
std::string function_of(const isa::Form& form, std::size_t index) {
  std::string fields, parameters, locals, results;
  int number = 0;
  for (const auto& operand : form.operands) {
    const auto passed = passes_as(operand.type);
    const auto own = isa::cuda_type(operand.type, 0);
    locals += fmt::format(" {} {};", isa::cuda_type(operand.type, operand.count), operand.name);
    for (int i = 0; i < std::max(1, operand.count); ++i) {
      const auto name = element(operand, i);
      const auto passing = fmt::format("{}_{}", operand.is_result ? "field" : "parameter", number++);
      if (operand.is_result) {
        fields += fmt::format(" {} {};", passed, passing);
        results += fmt::format(" results.{} = {};", passing, converted(name, operand.type, own, passed));
      } else {
        parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", passed, passing);
        locals += fmt::format(" {} = {};", name, converted(passing, operand.type, passed, own));
      }
    }
  }
  std::string statement = form.cuda->statement;
  std::erase_if(statement, [](char c) { return c == '{' || c == '}'; });
  return fmt::format(
      "struct result_{0} {{{1} }}; extern \"C\" __device__ result_{0} {2}({3}) "
      "{{{4} {5}; result_{0} results;{6} return results; }}\n",
      index, fields, function_name(index), parameters, locals, statement, results);
}

}  // namespace

FunctionInterface interface_of(const isa::Form& form) {
  FunctionInterface interface;
  for (const auto& operand : form.operands) {
    add_values(operand, operand.is_result ? interface.results : interface.parameters);
  }
  int number = 0, end = 0;
  for (auto& parameter : interface.parameters) parameter.offset = number++;
  for (auto& result : interface.results) {
    const int bytes = bytes_of(result.type);
    result.offset = (end + bytes - 1) / bytes * bytes;
    end = result.offset + bytes;
  }
  return interface;
}

std::string function_name(std::size_t index) { return fmt::format("ptxlat_function_{}", index); }

CudaProgram program_of(const std::vector<const isa::Form*>& forms, const std::string& header) {
  CudaProgram program;
  // Which the other includes only since CUDA 12.
  if (header == "cuda_bf16.h") program.text += "#include <cuda_fp16.h>\n";
  if (!header.empty()) program.text += fmt::format("#include <{}>\n", header);
  program.text +=
      "template <class To, class From> static __device__ To bits_of(From from) "
      "{ return *reinterpret_cast<To*>(&from); }\n"
      "template <class One, class Other> struct same_type { static constexpr bool value = false; };\n"
      "template <class One> struct same_type<One, One> { static constexpr bool value = true; };\n";
  program.first_line = 1 + static_cast<int>(std::count(program.text.begin(), program.text.end(), '\n'));
  for (std::size_t i = 0; i < forms.size(); ++i) program.text += function_of(*forms[i], i);
  return program;
}

}  // namespace ptxlat::cuda
