// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "latency/experiment_builder.h"
#include "ptx/bridge.h"

namespace ptxlat::latency {

ptx::Trial ExperimentBuilder::streamed(int copies, StreamShape shape) const {
  constexpr int place_if_left = 48;
  auto builder = builder_of_form();
  prepare_shared(builder, shape);
  std::string steps, kept, kept_if_left;
  const auto keep_both = [&](const std::vector<std::string>& registers, const std::string& type) {
    kept += ptx::store_live_both_sides(registers, type, shape.has_own_accumulators);
    kept_if_left += ptx::store_live_both_sides(registers, type, shape.has_own_accumulators, place_if_left);
  };
  // A register that is free after the copies is overwritten immediately, and the branch waits until it has been read.
  // Many copies must not keep theirs: the results would then be made elsewhere.
  const auto keep_source = [&](const isa::Operand& operand, const std::vector<std::string>& registers) {
    if (shape.copies > 1 || operand.type == "carry" || ptx::is_literal(catalogue(), variant, operand)) return;
    kept += ptx::store_live(registers, ptx::register_type_of(catalogue(), variant, operand));
  };
  for (int copy = 0; copy < copies; ++copy) {
    const auto replaced = prepare_own(builder, shape, copy);
    for (const auto& operand : form().operands) {
      if (!is_own(operand, shape)) continue;
      const auto& registers = replaced.at(operand.name);
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
    if (is_own(operand, shape)) continue;
    shares_accumulator = shares_accumulator || operand.is_inout;
    if (operand.is_inout) keep_both(ptx::registers_of(operand), operand.type);
    if (!operand.is_result) keep_source(operand, ptx::registers_of(operand));
  }
  // The previous pass's second clock is needed at the branch target. So it has its own register, not one that a copy
  // still reads: the clock would wait for that. If accumulators leave no room, it would be a uniform register, and the
  // read a different instruction.
  if (!shares_accumulator) {
    builder.once += "  mov.u32 %clock_2, 0;\n";
    kept_if_left += "  st.volatile.global.u32 [%out+12], %clock_2;\n";
  }
  builder.load({"%leave"}, "pred", {"0", "0", false});
  return finished(builder,
                  ptx::fill(skeletons().stream, {{"aligned", aligned()}, {"steps", steps}, {"results", kept_if_left}}),
                  kept);
}

void ExperimentBuilder::prepare_shared(ptx::KernelBuilder& builder, StreamShape shape) const {
  for (const auto& operand : form().operands) {
    // The texts around the window name the operands, not those of the copies.
    const bool is_named = (variant.input->prepare + form().cleanup).find("{" + operand.name) != std::string::npos;
    if (is_named || !is_own(operand, shape))
      ptx::prepare_operand(builder, variant, operand, ptx::registers_of(operand));
  }
}

ptx::Replaced ExperimentBuilder::prepare_own(ptx::KernelBuilder& builder, StreamShape shape, int copy) const {
  ptx::Replaced replaced;
  for (const auto& operand : form().operands) {
    if (!is_own(operand, shape)) continue;
    const auto& registers = replaced[operand.name] = ptx::registers_of(operand, fmt::format("_c{}", copy));
    ptx::prepare_operand(builder, variant, operand, registers);
  }
  return replaced;
}

bool ExperimentBuilder::is_own(const isa::Operand& operand, StreamShape shape) const {
  if (operand.type == "carry") return false;
  if (operand.is_inout) return shape.has_own_accumulators;
  if (operand.is_result) return true;
  if (ptx::is_literal(catalogue(), variant, operand)) return false;
  const isa::Object* object = isa::object_of(catalogue(), *variant.input, operand);
  if (object != nullptr && !object->is_address) return false;
  // There are few uniform registers, and ptxas would copy values that must be in neighbouring ones.
  if (is_uniform(operand)) return false;
  return shape.has_own_sources || &operand == varied_operand();
}

bool ExperimentBuilder::is_uniform(const isa::Operand& operand) const {
  return isa::is_source(operand) && isa::value_of(catalogue(), form(), *variant.input, operand).is_uniform;
}

const isa::Operand* ExperimentBuilder::varied_operand() const {
  const bool has_result = ptx::result_of(*variant.form) != nullptr;
  const auto rank = [&](const isa::Operand& operand) {
    if (operand.type == "carry" || operand.is_result || ptx::is_literal(catalogue(), variant, operand)) return 0;
    if (is_uniform(operand)) return 0;
    const isa::Object* object = isa::object_of(catalogue(), *variant.input, operand);
    if (!has_result) return object != nullptr && object->is_address ? 1 : 0;
    if (object != nullptr) return 1;
    return operand.type == "pred" ? 2 : 3;
  };
  const isa::Operand* best = nullptr;
  for (const auto& operand : variant.form->operands) {
    if (rank(operand) > (best == nullptr ? 0 : rank(*best))) best = &operand;
  }
  return best;
}

namespace {

// 32-bit registers and predicates that each copy of a stream has for itself.
struct OwnRegisters {
  int registers = 0, predicates = 0;
};

OwnRegisters own_registers(const ExperimentBuilder& builder, StreamShape shape) {
  OwnRegisters own;
  for (const auto& operand : builder.form().operands) {
    if (!builder.is_own(operand, shape)) continue;
    const int bits = isa::register_bits(operand.type);
    (bits == 1 ? own.predicates : own.registers) += std::max(1, operand.count) * std::max(1, bits / 32);
  }
  return own;
}

}  // namespace

StreamShape ExperimentBuilder::stream_shape() const {
  if (!variant.form->is_streamed || !variant.form->not_streamable.empty()) return {};
  // 32-bit registers and predicates that the longer stream may use: of 255 and 7, the skeleton needs some. An SM has
  // 65536 registers, 128 for each of 512 threads.
  constexpr int most_with_all_registers = 256, most_with_half = 512, predicates_to_spend = 4;
  const int registers_to_spend = threads > most_with_half ? 32 : threads > most_with_all_registers ? 64 : 128;
  const auto fits = [&](StreamShape shape) {
    const auto own = own_registers(*this, shape);
    return 2 * shape.copies * own.registers <= registers_to_spend &&
           2 * shape.copies * own.predicates <= predicates_to_spend;
  };
  // Many copies are preferred to separate sources, and separate accumulators to many copies. An accumulator that does
  // not fit twice is wide, and takes long to assemble.
  for (const bool has_own_accumulators : {true, false}) {
    for (const int copies : has_own_accumulators ? std::vector{4, 2, 1} : std::vector{2, 1}) {
      for (const bool has_own_sources : {true, false}) {
        if (const StreamShape shape{copies, has_own_sources, has_own_accumulators}; fits(shape)) return shape;
      }
    }
  }
  return {1, false, false};
}

StreamShape ExperimentBuilder::long_stream_shape() const {
  const auto usual = stream_shape();
  const auto& input = *variant.input;
  // What needs something before or after it may not be repeated at will, nor what has a place in memory of its own.
  const bool is_plain = input.before.empty() && input.prepare.empty() && form().cleanup.empty() &&
                        form().text.find("{#}") == std::string::npos;
  constexpr int usual_copies = 4, most_copies = 32, registers_to_spend = 176;
  if (usual.copies < usual_copies || !is_plain) return usual;
  const auto own = own_registers(*this, usual);
  if (own.predicates > 0) return usual;
  auto shape = usual;
  shape.copies = std::clamp(registers_to_spend / 2 / std::max(1, own.registers), usual_copies, most_copies);
  return shape;
}

namespace {

bool accumulates(const isa::Form& form) {
  return std::any_of(form.operands.begin(), form.operands.end(), [](const auto& operand) { return operand.is_inout; });
}

}  // namespace

bool ExperimentBuilder::needs_feedback() const {
  return ptx::result_of(form()) != nullptr && !accumulates(form()) && varied_operand() != nullptr;
}

ptx::Trial ExperimentBuilder::stream_looped(const StreamLoop& loop, StreamShape shape) const {
  shape.copies = loop.copies;
  auto builder = builder_of_form();
  builder.passes = ptx::passes_of_loop;
  builder.load_rounds(loop.rounds);
  prepare_shared(builder, shape);
  if (needs_feedback()) ptx::prepare_feedback(builder);
  std::string steps, feedback, kept;
  for (int copy = 0; copy < loop.copies; ++copy) {
    const auto replaced = prepare_own(builder, shape, copy);
    for (const auto& operand : form().operands) {
      if (is_own(operand, shape) && (operand.is_result || operand.is_inout))
        kept += ptx::store_live(replaced.at(operand.name), operand.type);
    }
    steps += op(replaced, copy);
    if (!needs_feedback()) continue;
    const auto& result = *ptx::result_of(form());
    const auto from = consumed_of(replaced.at(result.name));
    for (const auto& operand : form().operands) {
      if (operand.is_result || !is_own(operand, shape)) continue;
      const auto& type = ptx::register_type_of(catalogue(), variant, operand);
      for (int i = 0; i < loop.feedbacks; ++i)
        feedback += ptx::feedback_text(from, result.type, replaced.at(operand.name).front(), type,
                                       i == 0 ? ptx::Feedback::first : ptx::Feedback::second);
    }
  }
  for (const auto& operand : form().operands) {
    if (operand.is_inout && !is_own(operand, shape)) kept += ptx::store_live(ptx::registers_of(operand), operand.type);
  }
  return finished(
      builder, window(skeletons().chain_loop, {{"before", ""}, {"steps", steps + feedback}, {"completion", ""}}), kept);
}

std::optional<StreamLoops> expand_stream_loops(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                                               int copies, int rounds, int threads) {
  // Beside code with branches, ptxas would read one clock into a uniform register and the other one not.
  const ExperimentBuilder builder{loaded, variant, nullptr, Clocks::reserved, ptx::Frame::loop, threads};
  const auto shape = builder.stream_shape();
  if (shape.copies == 0) return std::nullopt;
  StreamLoops loops;
  loops.copies = std::min(copies, shape.copies);
  const auto made = [&](int count, int feedbacks) {
    auto trial = builder.stream_looped({count, rounds, feedbacks}, shape);
    trial.role = "stream loop";
    return trial;
  };
  loops.shorter = made(loops.copies, 1);
  loops.longer = made(2 * loops.copies, 1);
  if (builder.needs_feedback()) loops.fed_twice = made(2 * loops.copies, 2);
  return loops;
}

}  // namespace ptxlat::latency
