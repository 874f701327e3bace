// SPDX-License-Identifier: Apache-2.0
#include "latency/experiment_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ptx/bridge.h"

namespace ptxlat::latency {

const isa::Operand& operand_of(const isa::Form& form, const std::string& name) {
  return *std::find_if(form.operands.begin(), form.operands.end(),
                       [&](const isa::Operand& o) { return isa::is_source(o) && o.name == name; });
}

bool has_carry(const isa::Form& form, bool as_result) {
  return std::any_of(form.operands.begin(), form.operands.end(),
                     [&](const isa::Operand& o) { return o.type == "carry" && o.is_result == as_result; });
}

ptx::KernelBuilder ExperimentBuilder::builder_of_form() const {
  ptx::KernelBuilder builder(catalogue(), form());
  if (threads > 0) builder.use_threads(threads);
  for (const auto& text : form().module) builder.need(text);
  return builder;
}

std::string ExperimentBuilder::aligned() const { return threads > 0 ? skeletons().aligned.text : ""; }

ptx::KernelBuilder ExperimentBuilder::builder_with_operands() const {
  auto builder = builder_of_form();
  ptx::prepare_operands(builder, variant);
  return builder;
}

std::string ExperimentBuilder::window(const ptx::Skeleton& skeleton,
                                      std::map<std::string, std::string> fillings) const {
  constexpr auto guard = "@%is_timed ";
  fillings["if_begun"] = clocks == Clocks::reserved ? guard : "";
  fillings["aligned"] = aligned();
  fillings["if_timed"] = clocks == Clocks::plain ? "" : guard;
  return ptx::fill(skeleton, fillings);
}

// If the predicate is false, a predicated clock read leaves its register unchanged. So the register's old value is
// needed until then, and no instruction in the window can use the register; nor can it be a uniform one, whose read
// would be a different instruction. ptxas does not know that an address is never 0.
void ExperimentBuilder::reserve_clocks(ptx::KernelBuilder& builder) const {
  if (clocks == Clocks::plain) return;
  builder.declare("%is_timed", "pred");
  builder.once += "  setp.ne.u64 %is_timed, %out, 0;\n";
  if (clocks == Clocks::reserved) builder.once += "  mov.u32 %clock_1, 0;\n";
  builder.once += "  mov.u32 %clock_2, 0;\n";
}

ptx::Trial ExperimentBuilder::finished(ptx::KernelBuilder& builder, const std::string& window,
                                       const std::string& result) const {
  reserve_clocks(builder);
  builder.guard += text(variant.input->prepare);
  return ptx::finish(builder, skeletons(), frame, window, result + text(form().cleanup));
}

ptx::Trial ExperimentBuilder::empty_window() const {
  auto builder = builder_with_operands();
  reserve_clocks(builder);
  return ptx::finish(builder, skeletons(), frame, window(skeletons().differential, {{"op", ""}, {"consumer", ""}}), "");
}

std::string ExperimentBuilder::consume(const std::string& value) const {
  std::map<std::string, std::string> holes = {{"a", value}, {"k", "%k"}, {"q", "%q"}};
  for (const char* scratch : {"t0", "t1", "u0", "u1", "p0"}) holes[scratch] = std::string("%") + scratch;
  return "  " + ptx::substitute(consumer->text, holes) + "\n";
}

void ExperimentBuilder::prepare_consumer(ptx::KernelBuilder& builder) const {
  builder.declare("%q", consumer->result);
  if (!consumer->k_type.empty()) builder.load_default("%k", consumer->k_type, 1);
}

std::string ExperimentBuilder::store_consumed() const {
  return fmt::format("  st.volatile.global.b{} [%out+16], %q;\n", isa::register_bits(consumer->result));
}

std::string ExperimentBuilder::keep_results(const std::string& consumed) const {
  std::string kept;
  for (const auto& operand : form().operands) {
    if (!operand.is_result || operand.type == "carry") continue;
    auto registers = ptx::registers_of(operand);
    std::erase(registers, consumed);
    kept += ptx::store_live(registers, operand.type);
  }
  return kept;
}

std::string ExperimentBuilder::consumed_of(const std::vector<std::string>& registers) const {
  const auto chosen = static_cast<std::size_t>(form().consumed);
  return form().consumed < 0 || chosen >= registers.size() ? registers.back() : registers[chosen];
}

ptx::Trial ExperimentBuilder::with_op(const ptx::Skeleton& skeleton) const {
  auto builder = builder_with_operands();
  prepare_consumer(builder);
  const auto text = window(skeleton, {{"op", before() + op({}, 1)}, {"consumer", consume(consumed_register())}});
  return finished(builder, text, store_consumed() + keep_results(consumed_register()));
}

ptx::Trial ExperimentBuilder::without_op(const ptx::Skeleton& skeleton) const {
  ptx::KernelBuilder builder(catalogue(), form());
  if (!variant.input->before.empty() || !variant.input->prepare.empty()) ptx::prepare_operands(builder, variant);
  prepare_consumer(builder);
  builder.load_default("%x", ptx::result_of(form())->type, 0);
  // A consumer that also needs the carry uses the one that the frame made.
  if (has_carry(form(), true)) builder.load_default("%carry", "carry", 0);
  return finished(builder, window(skeleton, {{"consumer", before() + consume("%x")}}), store_consumed());
}

ptx::Trial ExperimentBuilder::waited_for(bool with_op, bool with_completion) const {
  auto builder = builder_with_operands();
  const auto text = window(skeletons().differential, {{"op", before() + (with_op ? op({}, 1) : std::string{})},
                                                      {"consumer", with_completion ? completion() : std::string{}}});
  return finished(builder, text,
                  (with_op ? keep_results() : std::string{}) +
                      (with_completion ? ptx::store_live_scratch(variant.input->completion) : std::string{}));
}

}  // namespace ptxlat::latency
