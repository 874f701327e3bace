// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "latency/experiment.h"
#include "latency/experiment_builder.h"
#include "ptx/store_live.h"

namespace ptxlat::latency {

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

ptx::Trial ExperimentBuilder::looped(const ChainLoop& loop) const {
  const auto& source = operand_of(form(), variant.operand);
  const auto& result = *ptx::result_of(form());
  auto builder = builder_of_form();
  builder.passes = ptx::passes_of_loop;
  builder.load_rounds(loop.rounds);
  // Sources that are not passed on are the same in all chains, and those of one type are one register: reading three
  // registers of a bank would take longer than the instruction.
  ptx::Replaced shared;
  std::map<std::string, std::vector<std::string>> of_type;
  for (const auto& operand : form().operands) {
    if (is_of_chain(operand, source)) continue;
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
      const bool is_passed_on = !source.is_inout && operand.name == result.name;
      replaced[operand.name] = ptx::registers_of(is_passed_on ? source : operand, suffix);
      if (is_passed_on) continue;
      ptx::prepare_operand(builder, variant, operand, replaced[operand.name]);
      kept += ptx::store_live(replaced[operand.name], ptx::register_type_of(catalogue(), variant, operand));
    }
    chains.push_back(std::move(replaced));
  }
  std::string steps;
  for (int step = 0; step < loop.steps; ++step) {
    for (const auto& replaced : chains) steps += op(replaced, step);
  }
  return finished(
      builder, window(skeletons().chain_loop, {{"before", before()}, {"steps", steps}, {"completion", completion()}}),
      kept + ptx::store_live_scratch(variant.input->completion));
}

ptx::Trial expand_chain_loop(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const ChainLoop& loop,
                             int threads) {
  auto trial = ExperimentBuilder{loaded, variant, nullptr, Clocks::plain, ptx::Frame::loop, threads}.looped(loop);
  trial.role = "chain loop";
  return trial;
}

}  // namespace ptxlat::latency
