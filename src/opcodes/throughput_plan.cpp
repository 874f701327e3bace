// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/hash.h"
#include "base/parallel.h"
#include "latency/experiment.h"
#include "loops/chain_loop.h"
#include "loops/program_loop.h"
#include "loops/saturated_kernel.h"
#include "loops/stream_loop.h"
#include "opcodes/throughput.h"

namespace ptxlat::opcodes {

namespace {

// Four loops, each of which keeps the GPU busy for as long as many ordinary cells.
constexpr std::size_t loops_of_cell = 16;
// How long the code is decides how many steps a loop has; for a recipe, any number will do.
constexpr int instructions_of_recipe = 56;

}  // namespace

results::CellKey key_of(const ThroughputPlan& plan) {
  return {
      results::RecordKind::throughput, plan.variant.form->ptx, {}, plan.variant.input->name, plan.level, plan.recipe};
}

std::vector<ThroughputPlan> plan_throughput(const ptx::LoadedCatalogue& loaded,
                                            const std::vector<const isa::Form*>& forms, int level) {
  std::vector<ThroughputPlan> plan;
  for (const auto* form : forms) plan.push_back({isa::variants_of(*form).front(), level, {}, 0});
  // Arithmetic first, in the order of the chapters.
  std::stable_sort(plan.begin(), plan.end(),
                   [](const auto& x, const auto& y) { return x.variant.form->order < y.variant.form->order; });
  in_parallel(plan.size(), [&](std::size_t i) {
    auto& cell = plan[i];
    Hash hash;
    hash.add(std::string_view(machine_version));
    const auto& form = *cell.variant.form;
    hash.add(form.not_measurable + form.unsupported_because);
    const bool is_possible = form.not_measurable.empty() && form.unsupported_because.empty() &&
                             loops::why_not_saturated(cell.variant).empty() &&
                             !latency::consumers_for(loaded.catalogue, cell.variant).empty();
    const auto add = [&](const ptx::Trial& trial, std::size_t copies) {
      ptx::add(hash, trial);
      cell.ptx_bytes += copies * trial.kernel.text.size();
    };
    if (const auto accumulating = loops::accumulating_variant(loaded, form)) {
      for (const auto& trial : loops::chain_loop_trials(loaded, *accumulating, 1, loops::threads_of_warpgroups(form)))
        add(trial, 1);
    }
    if (is_possible) {
      for (const auto& trial : loops::program_loop_trials(loaded, form, instructions_of_recipe)) add(trial, 1);
      for (const auto& trial : loops::stream_loop_trials(loaded, cell.variant)) add(trial, 1);
      for (const auto& trial : latency::expand_streams(loaded, cell.variant).trials.values) add(trial, 1);
      add(loops::saturated_trial(loaded, {&cell.variant, 1}, loops::places_of_body, loops::Sources::shared),
          loops_of_cell);
    }
    cell.recipe = hash.text();
  });
  return plan;
}

}  // namespace ptxlat::opcodes
