#include "ptx/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "error.h"
#include "ptx/bridge.h"
#include "ptx/draft.h"

namespace ptxlat {

namespace {

std::string register_of(const std::string& operand) { return "%v_" + operand; }

// "{a}" → registers or literals.
std::string substitute(std::string text, const std::map<std::string, std::string>& holes) {
  for (const auto& [name, with] : holes) {
    const auto hole = "{" + name + "}";
    for (auto at = text.find(hole); at != std::string::npos; at = text.find(hole, at + with.size()))
      text.replace(at, hole.size(), with);
  }
  return text;
}

const Operand& operand_of(const Form& form, const std::string& name) {
  return *std::find_if(form.operands.begin(), form.operands.end(),
                       [&](const Operand& o) { return !o.is_result && o.name == name; });
}

// The first result that has a register; a form with a dependence has one.
const Operand* result_of(const Form& form) {
  const auto found = std::find_if(form.operands.begin(), form.operands.end(),
                                  [](const Operand& o) { return o.is_result && o.type != "carry"; });
  return found == form.operands.end() ? nullptr : &*found;
}

bool has_carry(const Form& form, bool as_result) {
  return std::any_of(form.operands.begin(), form.operands.end(),
                     [&](const Operand& o) { return o.type == "carry" && o.is_result == as_result; });
}

// One variant's parts, from which the kernels are put together.
struct Parts {
  const Catalogue& catalogue;
  const Skeletons& skeletons;
  const Variant& variant;
  const Consumer& consumer;

  const Form& form() const { return *variant.form; }

  // The instruction with its operands' registers; `replaced` says where one is taken from elsewhere.
  std::string op(const std::map<std::string, std::string>& replaced) const {
    std::map<std::string, std::string> holes;
    for (const auto& operand : form().operands) {
      if (operand.type == "carry") continue;
      const auto value = operand.is_result ? Value{} : value_of(catalogue, form(), *variant.input, operand);
      const bool literal = !operand.is_result && (operand.type == "imm" || value.is_known_to_compiler);
      holes[operand.name] = literal ? value.first : register_of(operand.name);
    }
    for (const auto& [name, with] : replaced) holes[name] = with;
    return "  " + substitute(form().text, holes) + ";\n";
  }

  // Declares the results and loads the source operands.
  void prepare_op(Draft& draft) const {
    for (const auto& operand : form().operands) {
      if (operand.is_result) {
        if (operand.type != "carry") draft.declare(register_of(operand.name), operand.type);
        continue;
      }
      const auto value = value_of(catalogue, form(), *variant.input, operand);
      if (operand.type == "imm" || value.is_known_to_compiler) continue;
      draft.load(register_of(operand.name), operand.type, value);
    }
  }

  // The consumer on register `value`; its result is %q.
  std::string consume(const std::string& value) const {
    return "  " +
           substitute(consumer.text, {{"a", value},
                                      {"k", "%k"},
                                      {"q", "%q"},
                                      {"t0", "%t0"},
                                      {"t1", "%t1"},
                                      {"u0", "%u0"},
                                      {"u1", "%u1"},
                                      {"p0", "%p0"}}) +
           "\n";
  }

  void prepare_consumer(Draft& draft) const {
    draft.declare("%q", consumer.result);
    for (const auto& [name, type] :
         {std::pair{"%t0", "b32"}, {"%t1", "b32"}, {"%u0", "b64"}, {"%u1", "b64"}, {"%p0", "pred"}}) {
      if (consumer.text.find("{" + std::string(name + 1) + "}") != std::string::npos) draft.declare(name, type);
    }
    if (!consumer.k_type.empty()) draft.load_default("%k", consumer.k_type, 1);
  }

  std::string store_consumed() const {
    return fmt::format("  st.volatile.global.b{} [%out+16], %q;", register_bits(consumer.result));
  }

  // The instruction and the consumer of its result, in a window that says which of them is between the clocks.
  Kernel with_op(const Skeleton& skeleton) const {
    Draft draft(catalogue, form().lanes);
    prepare_op(draft);
    prepare_consumer(draft);
    const auto window = fill(skeleton, {{"op", op({})}, {"consumer", consume(register_of(result_of(form())->name))}});
    return finish(draft, skeletons, window, store_consumed());
  }

  // The consumer alone, on a loaded operand.
  Kernel without_op(const Skeleton& skeleton) const {
    Draft draft(catalogue, form().lanes);
    prepare_consumer(draft);
    load_consumed(draft);
    return finish(draft, skeletons, fill(skeleton, {{"consumer", consume("%x")}}), store_consumed());
  }

  // What stands for the instruction's result where there is no instruction.
  void load_consumed(Draft& draft) const {
    draft.load_default("%x", result_of(form())->type, 0);
    // A consumer that also needs the carry finds the one that the frame made.
    if (has_carry(form(), true)) draft.load_default("%carry", "carry", 0);
  }

  Kernel chained(int steps) const {
    const auto& source = operand_of(form(), variant.operand);
    const auto& result = *result_of(form());
    const Bridge bridge = bridge_between(result.type, source.type, has_carry(form(), true));
    Draft draft(catalogue, form().lanes);
    prepare_op(draft);
    declare_bridge(draft, bridge);
    prepare_consumer(draft);
    const auto carried = register_of(source.name), made = register_of(result.name);
    std::string text;
    for (int step = 0; step < steps; ++step) {
      // Where a result can be the next source as it is, it is written there.
      text += bridge.is_none && source.type != "carry" ? op({{result.name, carried}})
                                                       : op({}) + fill_bridge(bridge, made, carried);
    }
    const auto last = bridge.is_none && source.type != "carry" ? carried : made;
    const auto window = fill(skeletons.chain, {{"steps", text}, {"consumer", consume(last)}});
    return finish(draft, skeletons, window, store_consumed());
  }

  Kernel bridged() const {
    const auto& source = operand_of(form(), variant.operand);
    const auto& result = *result_of(form());
    const Bridge bridge = bridge_between(result.type, source.type, has_carry(form(), true));
    if (bridge.is_free) return {};
    Draft draft(catalogue, form().lanes);
    prepare_op(draft);
    draft.load_default("%x", result.type, 0);
    declare_bridge(draft, bridge);
    prepare_consumer(draft);
    const auto window = fill(skeletons.bridge, {{"bridge", fill_bridge(bridge, "%x", register_of(source.name))},
                                                {"op", op({})},
                                                {"consumer", consume(register_of(result.name))}});
    return finish(draft, skeletons, window, store_consumed());
  }

  void declare_bridge(Draft& draft, const Bridge& bridge) const {
    for (const auto& [name, type] : bridge.scratch) draft.declare(name, type);
    for (const auto& [name, type] : bridge.opaque) draft.load_default(name, type, 2);
  }

  static std::string fill_bridge(const Bridge& bridge, const std::string& from, const std::string& to) {
    return bridge.text.empty() ? std::string{} : "  " + substitute(bridge.text, {{"from", from}, {"to", to}}) + "\n";
  }
};

}  // namespace

std::vector<const Consumer*> consumers_for(const Catalogue& catalogue, const Form& form) {
  std::vector<const Consumer*> found;
  for (const auto& name : form.consumers) {
    for (const auto& consumer : catalogue.consumers) {
      if (consumer.name == name) found.push_back(&consumer);
    }
  }
  const auto* result = result_of(form);
  if (!found.empty() || result == nullptr) return found;
  for (const auto& consumer : catalogue.consumers) {
    if (std::find(consumer.types.begin(), consumer.types.end(), result->type) != consumer.types.end())
      found.push_back(&consumer);
  }
  return found;
}

Experiment expand(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                  const Consumer& consumer) {
  const Parts parts{catalogue, skeletons, variant, consumer};
  Experiment experiment;
  experiment.consumer = &consumer;
  experiment.overhead = parts.without_op(skeletons.overhead);
  experiment.bracket = parts.with_op(skeletons.bracket);
  experiment.differential = parts.with_op(skeletons.differential);
  experiment.differential_base = parts.without_op(skeletons.differential_base);
  if (!variant.operand.empty()) {
    experiment.chain = parts.chained(chain_steps);
    experiment.chain_twice = parts.chained(2 * chain_steps);
    experiment.bridge = parts.bridged();
  }
  return experiment;
}

}  // namespace ptxlat
