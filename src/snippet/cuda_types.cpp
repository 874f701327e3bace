// SPDX-License-Identifier: Apache-2.0
#include "snippet/cuda_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

namespace ptxlat::snippet {

CudaFunctions::CudaFunctions(const isa::Catalogue& catalogue) {
  for (const auto& form : catalogue.forms) {
    if (form.cuda) forms_[form.opcode].push_back(&form);
  }
}

const std::vector<const isa::Form*>& CudaFunctions::of(const std::string& name) const {
  static const std::vector<const isa::Form*> none;
  const auto found = forms_.find(name);
  return found == forms_.end() ? none : found->second;
}

std::set<std::string> CudaFunctions::headers(const std::string& name) const {
  std::set<std::string> headers;
  for (const auto* form : of(name)) headers.insert(form->cuda->header);
  return headers;
}

std::vector<std::string> CudaFunctions::types(const std::string& name, std::size_t place) const {
  std::vector<std::string> types;
  for (const auto* form : of(name)) {
    // A result before "=" is no parameter.
    const auto operand = place + (form->cuda->statement.find('=') == std::string::npos ? 0 : 1);
    if (operand >= form->operands.size()) continue;
    const auto& type = form->operands[operand].type;
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  return types;
}

std::string header_of_type(std::string_view type) {
  if (type.starts_with("bf16") || type.starts_with("__nv_bfloat16")) return bfloat_header;
  const bool is_half = type.starts_with("f16") || type.starts_with("half") || type.starts_with("__half");
  return is_half ? half_header : "";
}

namespace {

// The position of "name ="; npos if there is none.
std::size_t first_assignment(const std::string& text, const std::string& name) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    const char before = at == 0 ? ' ' : text[at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_') continue;
    const auto sign = text.find_first_not_of(" \t\r\n\v\f", end);
    if (sign != std::string::npos && text[sign] == '=' && text.compare(sign, 2, "==") != 0) return at;
  }
  return std::string::npos;
}

constexpr char kind_name[] = "ptxlat_kind";

// The types of CUDA C that a result may have, and the PTX type as which it is measured. A byte is passed as an int, as
// in tables.
struct ResultType {
  const char* cuda;
  const char* ptx;
};
constexpr std::array result_types = std::to_array<ResultType>({
    {"bool", "pred"},
    {"char", "s32"},
    {"signed char", "s32"},
    {"unsigned char", "u32"},
    {"short", "s16"},
    {"unsigned short", "u16"},
    {"int", "s32"},
    {"unsigned int", "u32"},
    {"long", "s64"},
    {"unsigned long", "u64"},
    {"long long", "s64"},
    {"unsigned long long", "u64"},
    {"float", "f32"},
    {"double", "f64"},
    {"__half", "f16"},
    {"__half2", "f16x2"},
    {"__nv_bfloat16", "bf16"},
    {"__nv_bfloat162", "bf16x2"},
});

// An expression that says which of them `ptxlat_type` is, from 1; 0 if it is none.
std::string kind_of_type(const std::string& header) {
  std::string kind;
  for (std::size_t i = 0; i < result_types.size(); ++i) {
    const auto needed = header_of_type(result_types[i].cuda);
    if (needed.empty() || needed == header || header == bfloat_header)
      kind += fmt::format("(same_type<ptxlat_type, {}>::value ? {} : 0) + ", result_types[i].cuda, i + 1);
  }
  return kind + "0";
}

}  // namespace

std::vector<isa::Form> type_questions(const CudaText& text) {
  auto typed = text.statements;
  for (const auto& result : text.results) {
    if (const auto at = first_assignment(typed, result.name); at != std::string::npos) typed.insert(at, "auto ");
  }
  std::vector<isa::Form> questions;
  for (const auto& result : text.results) {
    auto statements = fmt::format("{}; using ptxlat_type = decltype({}); {} = {}", typed, result.name, kind_name,
                                  kind_of_type(text.header));
    questions.push_back(cuda_form(text, {{kind_name, "u32", {}}}, statements));
    questions.back().ptx += " " + result.name;
  }
  return questions;
}

void take_types(const std::vector<cuda::CudaFunction>& answers, CudaText& text) {
  static const std::regex number(R"(mov\.\w{1,4} \{ptxlat_kind\}, (\d{1,9});)");
  for (std::size_t i = 0; i < text.results.size(); ++i) {
    auto& result = text.results[i];
    if (!result.type.empty()) continue;
    const auto& answer = answers.at(i);
    if (!answer.problem.empty()) fail(text.name, result.place, answer.problem, assumptions_of(text));
    std::smatch match;
    const auto kind = std::regex_search(answer.text, match, number) ? std::stoul(match[1]) : 0;
    if (kind == 0 || kind > result_types.size())
      fail(text.name, result.place, fmt::format("the type of {} is not one that a register holds", result.name),
           "take a part of it, or convert it");
    result.type = result_types[kind - 1].ptx;
  }
}

}  // namespace ptxlat::snippet
