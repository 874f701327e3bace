#include "isa/form.h"

#include <cassert>

namespace ptxlat {

std::vector<Variant> variants_of(const Form& form) {
  std::vector<Variant> variants;
  for (const Input& input : form.inputs) {
    if (form.dependence.empty()) variants.push_back({&form, "", &input});
    for (const std::string& operand : form.dependence) {
      // An operand that is a literal in this class is no register, so nothing can depend on it.
      const auto value = input.values.find(operand);
      if (value != input.values.end() && value->second.is_known_to_compiler) continue;
      variants.push_back({&form, operand, &input});
    }
  }
  return variants;
}

Value value_of(const Catalogue& catalogue, const Form& form, const Input& input, const Operand& operand) {
  if (const auto own = input.values.find(operand.name); own != input.values.end()) return own->second;
  if (operand.type == "carry") return {"0", "1", false};
  std::size_t position = 0;
  for (const Operand& other : form.operands) {
    if (other.name == operand.name && !other.is_result) break;
    if (!other.is_result) ++position;
  }
  const auto values = catalogue.defaults.find(operand.type);
  // load_catalogue has checked that every source operand has a value.
  assert(values != catalogue.defaults.end() && position < values->second.size());
  return values->second[position];
}

}  // namespace ptxlat
