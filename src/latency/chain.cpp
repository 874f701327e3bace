// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "latency/experiment.h"
#include "latency/experiment_builder.h"
#include "ptx/bridge.h"

namespace ptxlat::latency {

bool ExperimentBuilder::can_chain() const {
  // In a chain the result goes to the instruction itself.
  if (consumer != nullptr && !consumer->input.empty()) return false;
  // What an instruction alone passes on is known (the mask of a match differs from lane to lane, like its operand); the
  // rest of a snippet may make the values of all lanes equal, and then only the first step has those of the class.
  if (form().is_block && !form().depends_on_values.empty()) return false;
  const isa::Object* object = isa::object_of(catalogue(), *variant.input, operand_of(form(), variant.operand));
  return object == nullptr || object->is_address;
}

std::string ExperimentBuilder::steps_text(const ptx::Bridge& bridge, const isa::Operand& source,
                                          const isa::Operand& result, int steps) const {
  std::string steps_of_chain;
  const auto* other = crosses ? crossing_source() : nullptr;
  auto last = ptx::registers_of(source), before_last = other == nullptr ? last : ptx::registers_of(*other);
  for (int step = 0; step < steps; ++step) {
    if (other != nullptr) {
      steps_of_chain += op({{result.name, before_last}, {source.name, last}, {other->name, before_last}}, step);
      std::swap(last, before_last);
    } else if (source.is_inout) {
      steps_of_chain += op({}, step);
    } else if (writes_source(bridge, source)) {
      steps_of_chain += op({{result.name, ptx::registers_of(source)}}, step);
    } else {
      steps_of_chain +=
          op({}, step) + fill_bridge(bridge, ptx::registers_of(result).back(), ptx::registers_of(source).front());
    }
  }
  return steps_of_chain;
}

const isa::Operand* ExperimentBuilder::crossing_source() const {
  const isa::Operand* other = nullptr;
  const auto& source = operand_of(form(), variant.operand);
  const auto* result = ptx::result_of(form());
  if (result == nullptr || source.is_inout || source.type == "carry" || !writes_source(bridge_to(source), source))
    return nullptr;
  for (const auto& operand : form().operands) {
    if (operand.is_result ? operand.name != result->name : operand.is_inout) return nullptr;
    if (operand.is_result || operand.name == source.name || operand.type != source.type) continue;
    const bool is_plain = operand.count == source.count && !ptx::is_literal(catalogue(), variant, operand) &&
                          isa::object_of(catalogue(), *variant.input, operand) == nullptr;
    if (is_plain && other == nullptr) other = &operand;
  }
  return other;
}

const isa::Operand* ExperimentBuilder::mixing_source() const {
  const auto& source = operand_of(form(), variant.operand);
  const auto* result = ptx::result_of(form());
  if (result == nullptr || source.is_inout || writes_source(bridge_to(source), source)) return crossing_source();
  // What only passes on a half of its result must not lose the other one.
  for (const auto& operand : form().operands) {
    const bool is_plain = !operand.is_result && operand.name != source.name && operand.type != "carry" &&
                          operand.count == result->count && !ptx::is_literal(catalogue(), variant, operand);
    if (is_plain && isa::register_bits(operand.type) == isa::register_bits(result->type)) return &operand;
  }
  return nullptr;
}

bool ExperimentBuilder::writes_source(const ptx::Bridge& bridge, const isa::Operand& source) {
  return bridge.is_none && source.type != "carry";
}

ptx::Bridge ExperimentBuilder::bridge_to(const isa::Operand& source) const {
  const auto& result = *ptx::result_of(form());
  if (const isa::Object* object = isa::object_of(catalogue(), *variant.input, source)) {
    return ptx::address_bridge(result.type, object->register_type);
  }
  auto bridge = ptx::bridge_between(result.type, source.type, has_carry(form(), true));
  if (bridge.is_none && result.count != source.count) {
    bridge.is_none = false;
    bridge.text = fmt::format("mov.b{} {{to}}, {{from}};", isa::register_bits(source.type));
  }
  return bridge;
}

ptx::Trial ExperimentBuilder::chained(int steps) const {
  const auto& source = operand_of(form(), variant.operand);
  const auto& result = *ptx::result_of(form());
  const ptx::Bridge bridge = bridge_to(source);
  auto builder = builder_with_operands();
  declare_bridge(builder, bridge, source);
  const auto last = writes_source(bridge, source) ? ptx::registers_of(source).back() : ptx::registers_of(result).back();
  auto window_end = completion();
  if (consumer != nullptr) {
    prepare_consumer(builder);
    window_end = consume(last);
  }
  const bool is_consumed = consumer != nullptr;
  const auto text = window(skeletons().chain, {{"steps", before() + steps_text(bridge, source, result, steps) +
                                                             (is_consumed ? std::string{} : window_end)},
                                               {"consumer", is_consumed ? window_end : std::string{}}});
  auto kept = is_consumed ? store_consumed() : keep_results() + ptx::store_live_scratch(variant.input->completion);
  // Else ptxas merges the last two steps.
  if (const auto* other = crosses ? crossing_source() : nullptr)
    kept += ptx::store_live(ptx::registers_of(*other), ptx::register_type_of(catalogue(), variant, *other));
  return finished(builder, text, kept);
}

ptx::Trial ExperimentBuilder::bridged() const {
  const auto& source = operand_of(form(), variant.operand);
  const auto& result = *ptx::result_of(form());
  const ptx::Bridge bridge = bridge_to(source);
  if (bridge.is_free || consumer == nullptr) return {};
  auto builder = builder_with_operands();
  builder.load_default("%x", result.type, 0);
  declare_bridge(builder, bridge, source);
  prepare_consumer(builder);
  const auto text =
      window(skeletons().bridge, {{"bridge", fill_bridge(bridge, "%x", ptx::registers_of(source).front())},
                                  {"op", op({}, 1)},
                                  {"consumer", consume(consumed_register())}});
  return finished(builder, text, store_consumed() + keep_results(consumed_register()));
}

void ExperimentBuilder::declare_bridge(ptx::KernelBuilder& builder, const ptx::Bridge& bridge,
                                       const isa::Operand& source) const {
  for (const auto& [name, type] : bridge.scratch) builder.declare(name, type);
  for (const auto& [name, type] : bridge.opaque) builder.load_default(name, type, 2);
  for (const auto& [name, type] : bridge.zero) builder.load({name}, type, {"0", "0", false});
  if (bridge.needs_base)
    builder.guard += fmt::format("  mov.b{} %base, {};\n", isa::register_bits(bridge.zero.front().second),
                                 ptx::registers_of(source).front());
}

std::string ExperimentBuilder::fill_bridge(const ptx::Bridge& bridge, const std::string& from, const std::string& to) {
  return bridge.text.empty() ? std::string{} : "  " + ptx::substitute(bridge.text, {{"from", from}, {"to", to}}) + "\n";
}

namespace {

// Operands that each chain has for itself: what it passes on, and everything that it writes.
bool is_of_chain(const isa::Operand& operand, const isa::Operand& source) {
  return operand.is_result || operand.is_inout || operand.name == source.name;
}

}  // namespace

std::optional<isa::Variant> chain_without_bridge(const ptx::LoadedCatalogue& loaded, const isa::Form& form) {
  for (const auto& variant : isa::variants_of(form)) {
    if (variant.operand.empty() || ptx::result_of(form) == nullptr) continue;
    const ExperimentBuilder builder{loaded, variant, nullptr};
    const auto& source = operand_of(form, variant.operand);
    if (!builder.can_chain()) continue;
    if (source.is_inout || ExperimentBuilder::writes_source(builder.bridge_to(source), source)) return variant;
  }
  return std::nullopt;
}

std::vector<isa::Variant> chains_of_values(const ptx::LoadedCatalogue& loaded, const isa::Form& form) {
  std::vector<isa::Variant> found;
  if (!form.depends_on_values.empty() || ptx::result_of(form) == nullptr) return found;
  const auto* input = isa::variants_of(form).front().input;
  const auto is_in_memory = [&](const isa::Operand& operand) {
    return isa::object_of(loaded.catalogue, *input, operand) != nullptr;
  };
  if (std::any_of(form.operands.begin(), form.operands.end(), is_in_memory)) return found;
  std::set<std::string> types;
  // Also sources that have no row of their own, because another one stands for them.
  for (const auto& source : form.operands) {
    const isa::Variant variant{&form, source.name, input};
    const bool is_plain = isa::is_source(source) && source.type != "carry" && source.count == 0 &&
                          !ptx::is_literal(loaded.catalogue, variant, source);
    const ExperimentBuilder builder{loaded, variant, nullptr};
    if (!is_plain || !builder.can_chain()) continue;
    if ((source.is_inout || builder.bridge_to(source).is_free) && types.insert(source.type).second)
      found.push_back(variant);
  }
  return found;
}

ptx::Trial ExperimentBuilder::looped(const ChainLoop& loop) const {
  const auto& source = operand_of(form(), variant.operand);
  const auto& result = *ptx::result_of(form());
  const auto bridge = bridge_to(source);
  const bool is_passed_on = !source.is_inout && writes_source(bridge, source);
  const auto* other = loop.mixes && loop.chains > 1 ? mixing_source() : nullptr;
  auto builder = builder_of_form();
  builder.passes = ptx::passes_of_loop;
  builder.load_rounds(loop.rounds);
  if (!source.is_inout) declare_bridge(builder, bridge, source);
  // Sources that are not passed on are the same in all chains, and those of one type are one register: reading three
  // registers of a bank would take longer than the instruction.
  ptx::Replaced shared;
  std::map<std::string, std::vector<std::string>> of_type;
  for (const auto& operand : form().operands) {
    if (is_of_chain(operand, source) || &operand == other) continue;
    const bool is_plain = operand.count == 0 && operand.type != "carry" &&
                          !ptx::is_literal(catalogue(), variant, operand) &&
                          isa::object_of(catalogue(), *variant.input, operand) == nullptr;
    const auto& registers = of_type.try_emplace(operand.type, ptx::registers_of(operand)).first->second;
    if (is_plain && registers != ptx::registers_of(operand)) {
      shared[operand.name] = registers;
    } else {
      ptx::prepare_operand(builder, variant, operand, ptx::registers_of(operand));
    }
  }
  std::string kept;
  std::vector<ptx::Replaced> chains;
  for (int chain = 0; chain < loop.chains; ++chain) {
    const auto suffix = chain == 0 ? std::string{} : fmt::format("_c{}", chain);
    auto replaced = shared;
    for (const auto& operand : form().operands) {
      if (!is_of_chain(operand, source)) continue;
      const bool is_given = is_passed_on && operand.name == result.name;
      replaced[operand.name] = ptx::registers_of(is_given ? source : operand, suffix);
      if (is_given) continue;
      ptx::prepare_operand(builder, variant, operand, replaced[operand.name]);
      kept += ptx::store_live(replaced[operand.name], ptx::register_type_of(catalogue(), variant, operand));
    }
    chains.push_back(std::move(replaced));
  }
  for (std::size_t i = 0; other != nullptr && i < chains.size(); ++i)
    chains[i][other->name] = chains[(i + 1) % chains.size()][is_passed_on ? source.name : result.name];
  std::string steps;
  for (int step = 0; step < loop.steps; ++step) {
    for (const auto& replaced : chains) {
      steps += op(replaced, step);
      if (!source.is_inout && !is_passed_on)
        steps += fill_bridge(bridge, replaced.at(result.name).back(), replaced.at(source.name).front());
    }
  }
  return finished(
      builder, window(skeletons().chain_loop, {{"before", before()}, {"steps", steps}, {"completion", completion()}}),
      kept + ptx::store_live_scratch(variant.input->completion));
}

ptx::Trial expand_chain_loop(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const ChainLoop& loop,
                             int threads) {
  // Beside long code, ptxas would read one clock into a uniform register and the other one not.
  const auto clocks = loop.mixes ? Clocks::reserved : Clocks::plain;
  auto trial = ExperimentBuilder{loaded, variant, nullptr, clocks, ptx::Frame::loop, threads}.looped(loop);
  trial.role = "chain loop";
  return trial;
}

}  // namespace ptxlat::latency
