// SPDX-License-Identifier: Apache-2.0
#include "isa/form.h"

#include <algorithm>
#include <cassert>

#include "isa/types.h"

namespace ptxlat::isa {

std::vector<Variant> variants_of(const Form& form) {
  std::vector<Variant> variants;
  for (const Input& input : form.inputs) {
    if (form.dependence.empty()) variants.push_back({&form, "", &input});
    bool has_dependence = false;
    for (const std::string& operand : form.dependence) {
      // An operand that is a literal in this class is not a register, so nothing can depend on it.
      const auto value = input.values.find(operand);
      if (value != input.values.end() && value->second.is_known_to_compiler) continue;
      variants.push_back({&form, operand, &input});
      has_dependence = true;
    }
    if (!has_dependence && !form.dependence.empty()) variants.push_back({&form, "", &input});
  }
  return variants;
}

Requirement requirement_of(const Variant& variant) {
  return stricter(variant.form->requirement, variant.input->requirement);
}

bool is_source(const Operand& operand) { return !operand.is_result || operand.is_inout; }

Value value_of(const Catalogue& catalogue, const Form& form, const Input& input, const Operand& operand) {
  if (const auto own = input.values.find(operand.name); own != input.values.end()) return own->second;
  if (operand.type == "carry") return {"0", "1", false};
  if (const Object* object = object_of(catalogue, input, operand)) {
    constexpr int last_lane = 31;
    const bool is_per_lane = object->offset == Offset::per_lane;
    return {"0", is_per_lane ? std::to_string(last_lane * access_bytes(form)) : "0", false,
            object->offset == Offset::uniform};
  }
  std::size_t position = 0;
  for (const Operand& other : form.operands) {
    if (other.name == operand.name && other.is_result == operand.is_result) break;
    if (!other.is_result || other.is_inout) ++position;
  }
  const auto values = catalogue.defaults.find(operand.type);
  // load_catalogue has checked that every source operand has a value.
  assert(values != catalogue.defaults.end() && !values->second.empty());
  return values->second[std::min(position, values->second.size() - 1)];
}

const Object* object_of(const Catalogue& catalogue, const Input& input, const Operand& operand) {
  const auto other = input.objects.find(operand.name);
  const auto found = catalogue.objects.find(other == input.objects.end() ? operand.type : other->second);
  return found == catalogue.objects.end() ? nullptr : &found->second;
}

int access_bytes(const Form& form) {
  int bytes = 1;
  for (const Operand& operand : form.operands) {
    const TypeInfo* type = find_type(operand.type);
    if (type == nullptr) continue;
    bytes = std::max(bytes, type->element_bits * type->elements / 8 * std::max(1, operand.count));
  }
  return bytes;
}

}  // namespace ptxlat::isa
