// SPDX-License-Identifier: Apache-2.0
#include "ptx/instruction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ptxlat::ptx {

namespace {

std::string written(const isa::Operand& operand, const std::vector<std::string>& registers) {
  return operand.count == 0 ? registers.front() : fmt::format("{{{}}}", fmt::join(registers, ", "));
}

// The texts for the operands' holes: {a}, and {a.0}, {a.1} … for the registers of a vector.
std::map<std::string, std::string> holes_of(const isa::Catalogue& catalogue, const isa::Variant& variant,
                                            const Replaced& replaced, int number) {
  std::map<std::string, std::string> holes = {{"#", std::to_string(number)}};
  for (const char* scratch : {"t0", "t1", "t2", "t3", "u0", "u1", "u2", "u3", "p0", "p1"}) {
    holes[scratch] = std::string("%") + scratch;
  }
  for (const auto& operand : variant.form->operands) {
    if (operand.type == "carry") continue;
    if (is_literal(catalogue, variant, operand)) {
      holes[operand.name] = isa::value_of(catalogue, *variant.form, *variant.input, operand).first;
      continue;
    }
    const auto other = replaced.find(operand.name);
    const auto registers = other == replaced.end() ? registers_of(operand) : other->second;
    holes[operand.name] = written(operand, registers);
    for (std::size_t i = 0; i < registers.size(); ++i) holes[fmt::format("{}.{}", operand.name, i)] = registers[i];
  }
  return holes;
}

}  // namespace

const std::string& register_type_of(const isa::Catalogue& catalogue, const isa::Variant& variant,
                                    const isa::Operand& operand) {
  const isa::Object* object = operand.is_result ? nullptr : isa::object_of(catalogue, *variant.input, operand);
  return object != nullptr ? object->register_type : operand.type;
}

bool is_literal(const isa::Catalogue& catalogue, const isa::Variant& variant, const isa::Operand& operand) {
  if (operand.type == "imm") return true;
  return is_source(operand) && isa::value_of(catalogue, *variant.form, *variant.input, operand).is_known_to_compiler;
}

const isa::Operand* result_of(const isa::Form& form) {
  const auto found = std::find_if(form.operands.begin(), form.operands.end(),
                                  [](const isa::Operand& o) { return o.is_result && o.type != "carry"; });
  return found == form.operands.end() ? nullptr : &*found;
}

std::vector<std::string> registers_of(const isa::Operand& operand, const std::string& copy) {
  const auto stem = "%v_" + operand.name + copy;
  if (operand.count == 0) return {stem};
  std::vector<std::string> registers;
  for (int i = 0; i < operand.count; ++i) registers.push_back(fmt::format("{}_{}", stem, i));
  return registers;
}

std::string place_instruction(const isa::Catalogue& catalogue, const isa::Variant& variant, const Replaced& replaced,
                              int number) {
  const isa::Form& form = *variant.form;
  const auto around = variant.input->around.empty() ? std::string("{op}") : variant.input->around;
  const auto text = substitute(around, {{"op", form.cuda || form.is_block ? form.text : form.text + ";"}});
  return "  " + substitute(text, holes_of(catalogue, variant, replaced, number)) + "\n";
}

std::string place_text(const isa::Catalogue& catalogue, const isa::Variant& variant, const std::string& text,
                       int number) {
  if (text.empty()) return {};
  return "  " + substitute(text, holes_of(catalogue, variant, {}, number)) + "\n";
}

void prepare_operand(KernelBuilder& builder, const isa::Variant& variant, const isa::Operand& operand,
                     const std::vector<std::string>& registers) {
  if (!is_source(operand)) {
    if (operand.type == "carry") return;
    for (const auto& name : registers) builder.declare(name, operand.type);
    return;
  }
  if (is_literal(builder.catalogue, variant, operand)) return;
  const auto value = isa::value_of(builder.catalogue, *variant.form, *variant.input, operand);
  if (const isa::Object* object = isa::object_of(builder.catalogue, *variant.input, operand)) {
    builder.place(registers, *object, value);
  } else {
    builder.load(registers, operand.type, value);
  }
}

void prepare_operands(KernelBuilder& builder, const isa::Variant& variant) {
  for (const auto& operand : variant.form->operands) prepare_operand(builder, variant, operand, registers_of(operand));
}

}  // namespace ptxlat::ptx
