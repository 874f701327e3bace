// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "latency/experiment_builder.h"
#include "ptx/feedback.h"
#include "ptx/store_live.h"

namespace ptxlat::latency {

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
