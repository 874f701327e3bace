#include "ptx/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "error.h"
#include "ptx/bridge.h"
#include "ptx/draft.h"
#include "ptx/instruction.h"
#include "ptx/keep.h"

namespace ptxlat {

namespace {

const Operand& operand_of(const Form& form, const std::string& name) {
  return *std::find_if(form.operands.begin(), form.operands.end(),
                       [&](const Operand& o) { return is_source(o) && o.name == name; });
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
  const Consumer* consumer;

  const Form& form() const { return *variant.form; }
  std::string op(const Replaced& replaced, int number) const {
    return place_instruction(catalogue, variant, replaced, number);
  }
  std::string text(const std::string& of_the_catalogue) const {
    return place_text(catalogue, variant, of_the_catalogue, 0);
  }
  std::string before() const { return text(variant.input->before); }
  std::string completion() const { return text(variant.input->completion); }

  // A draft with the operands in their registers.
  Draft draft_with_operands() const {
    Draft draft(catalogue, form());
    for (const auto& text : form().module) draft.need(text);
    prepare_operands(draft, variant);
    return draft;
  }

  Kernel finished(Draft& draft, const std::string& window, const std::string& result) const {
    draft.guard += text(variant.input->prepare);
    return finish(draft, skeletons, window, result + text(form().cleanup));
  }

  // The clocks with nothing between them. What prepares for the instruction may not be undone without it (a transaction
  // that a barrier waits for).
  Kernel empty_window() const {
    auto draft = draft_with_operands();
    return finish(draft, skeletons, fill(skeletons.differential, {{"op", ""}, {"consumer", ""}}), "");
  }

  // The consumer on register `value`; its result is %q.
  std::string consume(const std::string& value) const {
    std::map<std::string, std::string> holes = {{"a", value}, {"k", "%k"}, {"q", "%q"}};
    for (const char* scratch : {"t0", "t1", "u0", "u1", "p0"}) holes[scratch] = std::string("%") + scratch;
    return "  " + substitute(consumer->text, holes) + "\n";
  }

  void prepare_consumer(Draft& draft) const {
    draft.declare("%q", consumer->result);
    if (!consumer->k_type.empty()) draft.load_default("%k", consumer->k_type, 1);
  }

  std::string store_consumed() const {
    return fmt::format("  st.volatile.global.b{} [%out+16], %q;\n", register_bits(consumer->result));
  }

  // Keeps all that the instruction made, but for a register that is consumed.
  std::string keep_results(const std::string& consumed = {}) const {
    std::string kept;
    for (const auto& operand : form().operands) {
      if (!operand.is_result || operand.type == "carry") continue;
      auto registers = registers_of(operand);
      std::erase(registers, consumed);
      kept += keep(registers, operand.type);
    }
    return kept;
  }

  // The last of a vector: where an instruction becomes several, it is the last that is made.
  std::string consumed_register() const { return registers_of(*result_of(form())).back(); }

  // The instruction and the consumer of its result, in a window that says which of them is between the clocks.
  Kernel with_op(const Skeleton& skeleton) const {
    auto draft = draft_with_operands();
    prepare_consumer(draft);
    const auto window = fill(skeleton, {{"op", before() + op({}, 1)}, {"consumer", consume(consumed_register())}});
    return finished(draft, window, store_consumed() + keep_results(consumed_register()));
  }

  // The consumer alone, on a loaded operand.
  Kernel without_op(const Skeleton& skeleton) const {
    Draft draft(catalogue, form());
    if (!variant.input->before.empty() || !variant.input->prepare.empty()) prepare_operands(draft, variant);
    prepare_consumer(draft);
    draft.load_default("%x", result_of(form())->type, 0);
    // A consumer that also needs the carry finds the one that the frame made.
    if (has_carry(form(), true)) draft.load_default("%carry", "carry", 0);
    return finished(draft, fill(skeleton, {{"consumer", before() + consume("%x")}}), store_consumed());
  }

  // Some objects are another thing after their first use.
  bool can_chain() const {
    const Object* object = object_of(catalogue, *variant.input, operand_of(form(), variant.operand));
    return object == nullptr || object->is_address;
  }

  // Steps of a chain behind each other. Where a result can be the next source as it is, it is written there.
  std::string steps_text(const Bridge& bridge, const Operand& source, const Operand& result, int steps) const {
    std::string steps_of_chain;
    for (int step = 0; step < steps; ++step) {
      if (source.is_inout) {
        steps_of_chain += op({}, step);
      } else if (writes_source(bridge, source)) {
        steps_of_chain += op({{result.name, registers_of(source)}}, step);
      } else {
        steps_of_chain += op({}, step) + fill_bridge(bridge, registers_of(result).back(), registers_of(source).front());
      }
    }
    return steps_of_chain;
  }

  static bool writes_source(const Bridge& bridge, const Operand& source) {
    return bridge.is_none && source.type != "carry";
  }

  Bridge bridge_to(const Operand& source) const {
    const auto& result = *result_of(form());
    if (const Object* object = object_of(catalogue, *variant.input, source)) {
      return address_bridge(result.type, object->register_type);
    }
    auto bridge = bridge_between(result.type, source.type, has_carry(form(), true));
    if (bridge.is_none && result.count != source.count) {
      bridge.is_none = false;
      bridge.text = fmt::format("mov.b{} {{to}}, {{from}};", register_bits(source.type));
    }
    return bridge;
  }

  Kernel chained(int steps) const {
    const auto& source = operand_of(form(), variant.operand);
    const auto& result = *result_of(form());
    const Bridge bridge = bridge_to(source);
    auto draft = draft_with_operands();
    declare_bridge(draft, bridge, source);
    const auto last = writes_source(bridge, source) ? registers_of(source).back() : registers_of(result).back();
    auto window_end = completion();
    if (consumer != nullptr) {
      prepare_consumer(draft);
      window_end = consume(last);
    }
    const bool is_consumed = consumer != nullptr;
    const auto window = fill(skeletons.chain, {{"steps", before() + steps_text(bridge, source, result, steps) +
                                                             (is_consumed ? std::string{} : window_end)},
                                               {"consumer", is_consumed ? window_end : std::string{}}});
    return finished(draft, window,
                    is_consumed ? store_consumed() : keep_results() + keep_scratch(variant.input->completion));
  }

  Kernel bridged() const {
    const auto& source = operand_of(form(), variant.operand);
    const auto& result = *result_of(form());
    const Bridge bridge = bridge_to(source);
    if (bridge.is_free || consumer == nullptr) return {};
    auto draft = draft_with_operands();
    draft.load_default("%x", result.type, 0);
    declare_bridge(draft, bridge, source);
    prepare_consumer(draft);
    const auto window = fill(skeletons.bridge, {{"bridge", fill_bridge(bridge, "%x", registers_of(source).front())},
                                                {"op", op({}, 1)},
                                                {"consumer", consume(consumed_register())}});
    return finished(draft, window, store_consumed() + keep_results(consumed_register()));
  }

  void declare_bridge(Draft& draft, const Bridge& bridge, const Operand& source) const {
    for (const auto& [name, type] : bridge.scratch) draft.declare(name, type);
    for (const auto& [name, type] : bridge.opaque) draft.load_default(name, type, 2);
    for (const auto& [name, type] : bridge.zero) draft.load({name}, type, {"0", "0", false});
    if (bridge.needs_base)
      draft.guard += fmt::format("  mov.b{} %base, {};\n", register_bits(bridge.zero.front().second),
                                 registers_of(source).front());
  }

  static std::string fill_bridge(const Bridge& bridge, const std::string& from, const std::string& to) {
    return bridge.text.empty() ? std::string{} : "  " + substitute(bridge.text, {{"from", from}, {"to", to}}) + "\n";
  }

  // The instruction and what waits for its effect.
  Kernel waited_for(bool with_op, bool with_completion) const {
    auto draft = draft_with_operands();
    const auto window = fill(skeletons.differential, {{"op", before() + (with_op ? op({}, 1) : std::string{})},
                                                      {"consumer", with_completion ? completion() : std::string{}}});
    return finished(draft, window,
                    (with_op ? keep_results() : std::string{}) +
                        (with_completion ? keep_scratch(variant.input->completion) : std::string{}));
  }

  // Copies that do not depend on each other. They would all be the same instruction on the same values, and the
  // compiler would make one of them: each has its own registers, but for handles of objects and literals.
  Kernel streamed(int copies, StreamShape shape) const {
    constexpr int place_if_left = 48;
    Draft draft(catalogue, form());
    for (const auto& operand : form().operands) {
      // The texts around the window name the operands, not the copies'.
      const bool is_named = (variant.input->prepare + form().cleanup).find("{" + operand.name) != std::string::npos;
      if (is_named || !is_own(catalogue, variant, operand, shape))
        prepare_operand(draft, variant, operand, registers_of(operand));
    }
    std::string steps, kept, kept_if_left;
    const auto keep_both = [&](const std::vector<std::string>& registers, const std::string& type) {
      kept += keep_behind_branch(registers, type, shape.has_own_accumulators);
      kept_if_left += keep_behind_branch(registers, type, shape.has_own_accumulators, place_if_left);
    };
    // A register that is free again behind the copies is written at once, and the branch waits until it is read. Many
    // copies may not keep theirs: the results would then be made elsewhere.
    const auto keep_source = [&](const Operand& operand, const std::vector<std::string>& registers) {
      if (shape.copies > 1 || operand.type == "carry" || is_literal(catalogue, variant, operand)) return;
      const Object* object = object_of(catalogue, *variant.input, operand);
      kept += keep(registers, object != nullptr ? object->register_type : operand.type);
    };
    for (int copy = 0; copy < copies; ++copy) {
      const auto suffix = fmt::format("_c{}", copy);
      Replaced replaced;
      for (const auto& operand : form().operands) {
        if (!is_own(catalogue, variant, operand, shape)) continue;
        const auto& registers = replaced[operand.name] = registers_of(operand, suffix);
        prepare_operand(draft, variant, operand, registers);
        if (operand.is_result) {
          keep_both(registers, operand.type);
        } else {
          keep_source(operand, registers);
        }
      }
      steps += op(replaced, copy);
    }
    bool shares_accumulator = false;
    for (const auto& operand : form().operands) {
      if (is_own(catalogue, variant, operand, shape)) continue;
      shares_accumulator = shares_accumulator || operand.is_inout;
      if (operand.is_inout) keep_both(registers_of(operand), operand.type);
      if (!operand.is_result) keep_source(operand, registers_of(operand));
    }
    // The second clock of the pass before is needed where the branch leads. So its register is its own, and none that a
    // copy still reads: the clock would wait for that. Where accumulators leave no room, it would be a uniform one, and
    // another instruction.
    if (!shares_accumulator) {
      draft.once += "  mov.u32 %clock_2, 0;\n";
      kept_if_left += "  st.volatile.global.u32 [%out+12], %clock_2;\n";
    }
    draft.load({"%leave"}, "pred", {"0", "0", false});
    return finished(draft, fill(skeletons.stream, {{"steps", steps}, {"results", kept_if_left}}), kept);
  }

  void add_streams(const StreamShape& shape, Experiment& experiment) const {
    experiment.copies = shape.copies;
    if (shape.copies == 0) return;
    experiment.kernels[Role::stream] = streamed(shape.copies, shape);
    experiment.kernels[Role::stream_twice] = streamed(2 * shape.copies, shape);
  }

  // Whether each copy of a stream has this operand for itself.
  static bool is_own(const Catalogue& catalogue, const Variant& variant, const Operand& operand, StreamShape shape) {
    if (operand.type == "carry") return false;
    if (operand.is_inout) return shape.has_own_accumulators;
    if (operand.is_result) return true;
    if (is_literal(catalogue, variant, operand)) return false;
    const Object* object = object_of(catalogue, *variant.input, operand);
    if (object != nullptr && !object->is_address) return false;
    return shape.has_own_sources || &operand == varied_operand(catalogue, variant);
  }

  // The one source operand that copies have each for themselves where registers are short: with a result, the first
  // value, so that they are not merged; without one, the first address, so that a store does not make the one before
  // it superfluous.
  static const Operand* varied_operand(const Catalogue& catalogue, const Variant& variant) {
    const bool has_result = result_of(*variant.form) != nullptr;
    const auto rank = [&](const Operand& operand) {
      if (operand.type == "carry" || operand.is_result || is_literal(catalogue, variant, operand)) return 0;
      const Object* object = object_of(catalogue, *variant.input, operand);
      if (!has_result) return object != nullptr && object->is_address ? 1 : 0;
      if (object != nullptr) return 1;
      return operand.type == "pred" ? 2 : 3;
    };
    const Operand* best = nullptr;
    for (const auto& operand : variant.form->operands) {
      if (rank(operand) > (best == nullptr ? 0 : rank(*best))) best = &operand;
    }
    return best;
  }
};

}  // namespace

const char* to_string(Role role) {
  constexpr ByRole<const char*> names = {{"overhead", "bracket", "differential", "differential base", "chain",
                                          "chain twice", "bridge", "completion", "stream", "stream twice"}};
  return names[role];
}

Observation observation_of(const Variant& variant) {
  if (!variant.input->completion.empty()) return Observation::waited_for;
  if (result_of(*variant.form) != nullptr) return Observation::consumed;
  return variant.input->before.empty() ? Observation::none : Observation::waited_for;
}

std::vector<const Consumer*> consumers_for(const Catalogue& catalogue, const Variant& variant) {
  if (observation_of(variant) != Observation::consumed) return {nullptr};
  std::vector<const Consumer*> found;
  for (const auto& name : variant.form->consumers) {
    for (const auto& consumer : catalogue.consumers) {
      if (consumer.name == name) found.push_back(&consumer);
    }
  }
  if (!found.empty()) return found;
  const auto& type = result_of(*variant.form)->type;
  for (const auto& consumer : catalogue.consumers) {
    if (std::find(consumer.types.begin(), consumer.types.end(), type) != consumer.types.end())
      found.push_back(&consumer);
  }
  return found;
}

StreamShape stream_shape(const Catalogue& catalogue, const Variant& variant) {
  if (!variant.form->stream.empty()) return {};
  // Registers of 32 bits and predicates that the longer stream may take: of 255 and 7, some are the skeleton's.
  constexpr int registers_to_spend = 128, predicates_to_spend = 4;
  const auto fits = [&](StreamShape shape) {
    int registers = 0, predicates = 0;
    for (const auto& operand : variant.form->operands) {
      if (!Parts::is_own(catalogue, variant, operand, shape)) continue;
      const int bits = register_bits(operand.type);
      (bits == 1 ? predicates : registers) += std::max(1, operand.count) * std::max(1, bits / 32);
    }
    return 2 * shape.copies * registers <= registers_to_spend && 2 * shape.copies * predicates <= predicates_to_spend;
  };
  // Many copies come before sources of their own, and accumulators of their own before many copies. One that has no
  // room for a second is wide, and long to assemble.
  for (const bool has_own_accumulators : {true, false}) {
    for (const int copies : has_own_accumulators ? std::vector{4, 2, 1} : std::vector{2, 1}) {
      for (const bool has_own_sources : {true, false}) {
        if (const StreamShape shape{copies, has_own_sources, has_own_accumulators}; fits(shape)) return shape;
      }
    }
  }
  return {1, false, false};
}

int chain_steps(const Form& form) {
  const Operand* result = result_of(form);
  return result != nullptr && is_wide(registers_of(*result), result->type) ? 2 : 4;
}

Experiment expand(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                  const Consumer* consumer) {
  const Parts parts{catalogue, skeletons, variant, consumer};
  Experiment experiment;
  experiment.consumer = consumer;
  auto& kernels = experiment.kernels;
  const auto observation = observation_of(variant);
  if (observation == Observation::consumed) {
    kernels[Role::overhead] = parts.without_op(skeletons.overhead);
    kernels[Role::bracket] = parts.with_op(skeletons.bracket);
    kernels[Role::differential] = parts.with_op(skeletons.differential);
    kernels[Role::differential_base] = parts.without_op(skeletons.differential_base);
  }
  if (observation == Observation::waited_for) {
    kernels[Role::differential] = parts.waited_for(true, true);
    kernels[Role::differential_base] =
        variant.input->before.empty() ? parts.empty_window() : parts.waited_for(false, false);
    if (!variant.input->completion.empty()) kernels[Role::completion] = parts.waited_for(false, true);
  }
  if (!variant.operand.empty() && parts.can_chain()) {
    experiment.steps = chain_steps(*variant.form);
    kernels[Role::chain] = parts.chained(experiment.steps);
    kernels[Role::chain_twice] = parts.chained(2 * experiment.steps);
    kernels[Role::bridge] = parts.bridged();
  }
  parts.add_streams(stream_shape(catalogue, variant), experiment);
  return experiment;
}

void shorten_stream(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                    Experiment& experiment) {
  auto shape = stream_shape(catalogue, variant);
  shape.copies = std::min(shape.copies, 1);
  Parts{catalogue, skeletons, variant, experiment.consumer}.add_streams(shape, experiment);
}

void change_consumer(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                     const Consumer* consumer, Experiment& experiment) {
  const Parts parts{catalogue, skeletons, variant, consumer};
  experiment.consumer = consumer;
  experiment.kernels[Role::differential] = parts.with_op(skeletons.differential);
  experiment.kernels[Role::differential_base] = parts.without_op(skeletons.differential_base);
}

Kernel plain_kernel(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant) {
  const Parts parts{catalogue, skeletons, variant, nullptr};
  return parts.waited_for(true, true);
}

}  // namespace ptxlat
