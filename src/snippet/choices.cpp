// SPDX-License-Identifier: Apache-2.0
#include "snippet/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace ptxlat::snippet {

namespace {

// Whether the opcode has one of these qualifiers.
bool has_any(const std::string& opcode, const std::set<std::string>& qualifiers) {
  const auto parts = words_in(opcode, ".");
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) { return qualifiers.contains(part); });
}

bool is_beyond_l1(const std::string& opcode) {
  return has_any(opcode, {"cg", "cv", "volatile", "relaxed", "acquire", "mmio"});
}

void choose_input(isa::Catalogue& catalogue, const Snippet& snippet, const std::string& name) {
  std::set<const isa::Form*> forms;
  for (const auto& instruction : snippet.instructions) forms.insert(instruction.form);
  std::set<std::string> names;
  bool is_known = false;
  for (auto& form : catalogue.forms) {
    if (!forms.contains(&form)) continue;
    const auto wanted = std::find_if(form.inputs.begin(), form.inputs.end(),
                                     [&](const isa::Input& input) { return input.name == name; });
    for (const auto& input : form.inputs) names.insert(input.name);
    if (wanted == form.inputs.end()) continue;
    std::rotate(form.inputs.begin(), wanted, wanted + 1);
    is_known = true;
  }
  names.erase("");
  if (!is_known)
    throw Error(ExitCode::unknown_name, "no instruction of the snippet has the inputs " + name,
                names.empty() ? "its instructions have no other inputs than the usual ones"
                              : fmt::format("there are {}", fmt::join(names, ", ")));
}

void give_same_values(isa::Catalogue& catalogue) {
  const auto make_same = [](isa::Value& value) { value.last = value.first; };
  for (auto& [type, values] : catalogue.defaults) std::for_each(values.begin(), values.end(), make_same);
  for (auto& form : catalogue.forms) {
    for (auto& input : form.inputs) {
      for (auto& [operand, value] : input.values) make_same(value);
    }
  }
  for (auto& [name, object] : catalogue.objects) {
    if (object.offset == isa::Offset::per_lane) object.offset = isa::Offset::same;
  }
}

}  // namespace

void choose_cache(Text& text, const Choices& choices) {
  if (!choices.loads_from_l2) return;
  for (auto& statement : text.statements) {
    auto& opcode = statement.opcode;
    const auto parts = words_in(opcode, ".");
    const bool is_global = parts.size() > 2 && parts[1] == "global";
    const bool is_generic = parts.size() > 1 && isa::register_bits(parts[1]) > 0;
    const bool is_vector = parts.size() > 2 && !is_global && (parts[1] == "v2" || parts[1] == "v4");
    if (parts.front() != "ld" || (!is_global && !is_generic && !is_vector)) continue;
    if (has_any(opcode, {"ca", "cs", "lu", "weak"}) || is_beyond_l1(opcode)) continue;
    opcode.insert(is_global ? std::string_view("ld.global").size() : 2, ".cg");
  }
}

void choose_values(isa::Catalogue& catalogue, const Snippet& snippet, const Choices& choices) {
  if (!choices.input.empty()) choose_input(catalogue, snippet, choices.input);
  if (choices.same_lanes) give_same_values(catalogue);
}

void choose_witness(Plan& plan, const isa::Catalogue& catalogue, const Choices& choices) {
  const auto consumer = std::find_if(catalogue.consumers.begin(), catalogue.consumers.end(),
                                     [&](const isa::Consumer& one) { return one.name == choices.consumer; });
  for (auto& planned : plan.forms) {
    auto& form = planned->form;
    form.prefers_chain = choices.prefers_chain;
    const auto result = std::find_if(form.operands.begin(), form.operands.end(),
                                     [](const isa::Operand& operand) { return operand.is_result; });
    if (choices.consumer.empty() || result == form.operands.end()) continue;
    const auto takes = [&](const isa::Consumer& one) {
      return std::find(one.types.begin(), one.types.end(), result->type) != one.types.end();
    };
    if (consumer == catalogue.consumers.end() || !takes(*consumer)) {
      std::vector<std::string> names;
      for (const auto& one : catalogue.consumers) {
        if (takes(one)) names.push_back(one.name);
      }
      throw Error(ExitCode::unknown_name, fmt::format("no consumer {} takes a .{}", choices.consumer, result->type),
                  fmt::format("there are {}", fmt::join(names, ", ")));
    }
    form.consumers = {choices.consumer};
  }
}

std::string conditions_of(const Snippet& snippet, const Choices& choices) {
  bool has_address = false, hits_l1 = false;
  for (std::size_t i = 0; i < snippet.instructions.size(); ++i) {
    const auto& instruction = snippet.instructions[i];
    if (!snippet.live[i] || (!loads(instruction) && !stores(instruction))) continue;
    has_address = true;
    const auto& opcode = instruction.statement->opcode;
    hits_l1 = hits_l1 || (opcode.starts_with("ld") &&
                          !has_any(opcode, {"shared", "shared::cta", "shared::cluster", "const", "param"}) &&
                          !is_beyond_l1(opcode));
  }
  if (!has_address) return {};
  return fmt::format("{}{}", hits_l1 ? "loads hit L1; " : "",
                     choices.same_lanes ? "all lanes have one address" : "the lanes' addresses are side by side");
}

}  // namespace ptxlat::snippet
