// SPDX-License-Identifier: Apache-2.0
#include "latency/experiment.h"

#include <algorithm>

#include "latency/experiment_builder.h"

namespace ptxlat::latency {

const char* to_string(Role role) {
  constexpr ByRole<const char*> names = {{"overhead", "bracket", "differential", "differential base", "chain",
                                          "chain twice", "bridge", "completion", "stream", "stream twice"}};
  return names[role];
}

Observation observation_of(const isa::Variant& variant) {
  if (!variant.input->completion.empty()) return Observation::waited_for;
  if (ptx::result_of(*variant.form) != nullptr) return Observation::consumed;
  return variant.input->before.empty() ? Observation::none : Observation::waited_for;
}

std::vector<const isa::Consumer*> consumers_for(const isa::Catalogue& catalogue, const isa::Variant& variant) {
  if (observation_of(variant) != Observation::consumed) return {nullptr};
  std::vector<const isa::Consumer*> found;
  for (const auto& consumer : catalogue.consumers) {
    if (!consumer.input.empty() && consumer.input == variant.input->name) return {&consumer};
  }
  for (const auto& name : variant.form->consumers) {
    for (const auto& consumer : catalogue.consumers) {
      if (consumer.name == name) found.push_back(&consumer);
    }
  }
  if (!found.empty()) return found;
  const auto& type = ptx::result_of(*variant.form)->type;
  for (const auto& consumer : catalogue.consumers) {
    if (consumer.input.empty() && std::find(consumer.types.begin(), consumer.types.end(), type) != consumer.types.end())
      found.push_back(&consumer);
  }
  return found;
}

int chain_steps(const isa::Form& form) {
  const isa::Operand* result = ptx::result_of(form);
  return result != nullptr && ptx::is_wide(ptx::registers_of(*result), result->type) ? 2 : 4;
}

namespace {

void set(Experiment& experiment, Role role, ptx::Trial trial) {
  trial.role = to_string(role);
  // The wait alone may wait forever.
  trial.is_run = role != Role::completion;
  experiment.trials[role] = std::move(trial);
}

void add_chains(const ExperimentBuilder& builder, int steps, Experiment& experiment) {
  experiment.steps = steps;
  set(experiment, Role::chain, builder.chained(experiment.steps));
  set(experiment, Role::chain_twice, builder.chained(2 * experiment.steps));
}

// The instruction and what waits for it, and the same without the instruction.
void add_differential(const ExperimentBuilder& builder, Experiment& experiment) {
  const auto& variant = builder.variant;
  const auto observation = observation_of(variant);
  if (observation == Observation::consumed) {
    set(experiment, Role::differential, builder.with_op(builder.skeletons().differential));
    set(experiment, Role::differential_base, builder.without_op(builder.skeletons().differential_base));
  }
  if (observation == Observation::waited_for) {
    set(experiment, Role::differential, builder.waited_for(true, true));
    set(experiment, Role::differential_base,
        variant.input->before.empty() ? builder.empty_window() : builder.waited_for(false, false));
    if (!variant.input->completion.empty()) set(experiment, Role::completion, builder.waited_for(false, true));
  }
}

// All trials except streams.
void add_windows(const ExperimentBuilder& builder, Experiment& experiment) {
  const auto& variant = builder.variant;
  const auto& skeletons = builder.skeletons();
  if (observation_of(variant) == Observation::consumed) {
    set(experiment, Role::overhead, builder.without_op(skeletons.overhead));
    set(experiment, Role::bracket, builder.with_op(skeletons.bracket));
  }
  add_differential(builder, experiment);
  if (!variant.operand.empty() && builder.can_chain()) {
    add_chains(builder, chain_steps(builder.form()), experiment);
    set(experiment, Role::bridge, builder.bridged());
  }
}

void add_streams(const ExperimentBuilder& builder, const StreamShape& shape, Experiment& experiment) {
  experiment.copies = shape.copies;
  if (shape.copies == 0) return;
  set(experiment, Role::stream, builder.streamed(shape.copies, shape));
  set(experiment, Role::stream_twice, builder.streamed(2 * shape.copies, shape));
}

}  // namespace

Experiment expand(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer* consumer) {
  const ExperimentBuilder builder{loaded, variant, consumer};
  Experiment experiment;
  experiment.consumer = consumer;
  experiment.prefers_chain = variant.form->prefers_chain;
  add_windows(builder, experiment);
  add_streams(builder, builder.stream_shape(), experiment);
  return experiment;
}

Experiment expand_streams(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant) {
  const ExperimentBuilder builder{loaded, variant, nullptr};
  Experiment experiment;
  add_streams(builder, builder.stream_shape(), experiment);
  return experiment;
}

Experiment expand_differential(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant) {
  Experiment experiment;
  experiment.consumer = consumers_for(loaded.catalogue, variant).front();
  add_differential({loaded, variant, experiment.consumer}, experiment);
  return experiment;
}

void change_clocks(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Clocks clocks,
                   Experiment& experiment) {
  experiment.clocks = clocks;
  add_windows({loaded, variant, experiment.consumer, clocks, experiment.frame}, experiment);
}

void change_to_subroutine(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                          const isa::Consumer* consumer, bool with_streams, Experiment& experiment) {
  const ExperimentBuilder builder{loaded, variant, consumer, experiment.clocks, ptx::Frame::subroutine};
  experiment.frame = ptx::Frame::subroutine;
  experiment.consumer = consumer;
  add_windows(builder, experiment);
  if (with_streams) add_streams(builder, builder.stream_shape(), experiment);
}

bool cross_chains(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Experiment& experiment) {
  const ExperimentBuilder builder{.loaded = loaded,
                                  .variant = variant,
                                  .consumer = experiment.consumer,
                                  .clocks = experiment.clocks,
                                  .frame = experiment.frame,
                                  .crosses = true};
  if (experiment.crosses || experiment.steps == 0 || builder.crossing_source() == nullptr) return false;
  experiment.crosses = true;
  add_chains(builder, experiment.steps, experiment);
  return true;
}

void shorten_stream(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Experiment& experiment) {
  const ExperimentBuilder builder{loaded, variant, experiment.consumer};
  auto shape = builder.stream_shape();
  shape.copies = std::min(shape.copies, 1);
  add_streams(builder, shape, experiment);
}

bool outlast_queue(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Experiment& experiment) {
  const ExperimentBuilder builder{loaded, variant, experiment.consumer};
  const auto shape = builder.long_stream_shape();
  const int longer = 2 * shape.copies;
  const int more = longer / 4;
  if (more < experiment.copies) return false;
  experiment.copies = more;
  set(experiment, Role::stream, builder.streamed(longer - more, shape));
  set(experiment, Role::stream_twice, builder.streamed(longer, shape));
  return true;
}

void change_consumer(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer* consumer,
                     Experiment& experiment) {
  const ExperimentBuilder builder{loaded, variant, consumer, experiment.clocks, experiment.frame};
  experiment.consumer = consumer;
  set(experiment, Role::differential, builder.with_op(loaded.skeletons.differential));
  set(experiment, Role::differential_base, builder.without_op(loaded.skeletons.differential_base));
}

ptx::Trial plain_trial(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant) {
  return ExperimentBuilder{loaded, variant, nullptr}.waited_for(true, true);
}

}  // namespace ptxlat::latency
