// SPDX-License-Identifier: Apache-2.0
#include "latency/operand_path.h"

#include <algorithm>

#include "latency/experiment_builder.h"
#include "ptx/instruction.h"

namespace ptxlat::latency {

std::vector<int> loads_of(const std::vector<std::string>& operand_loads, const isa::Operand& operand) {
  const auto registers = ptx::registers_of(operand);
  std::vector<int> loads;
  for (std::size_t i = 0; i < operand_loads.size(); ++i) {
    if (std::find(registers.begin(), registers.end(), operand_loads[i]) != registers.end())
      loads.push_back(static_cast<int>(i));
  }
  return loads;
}

namespace {

// The two kernels of the differential, both with a window.
struct DifferentialKernels {
  const line::AssembledKernel* with = nullptr;
  const line::AssembledKernel* without = nullptr;
};
std::optional<DifferentialKernels> kernels_of(const Experiment& experiment, const line::Batch& batch,
                                              const TrialNumbers& trials) {
  const auto with = trials[Role::differential], without = trials[Role::differential_base];
  if (experiment.consumer == nullptr || !with || !without) return std::nullopt;
  const DifferentialKernels kernels{&batch.kernel_of(*with), &batch.kernel_of(*without)};
  return kernels.with->window && kernels.without->window ? std::optional(kernels) : std::nullopt;
}

}  // namespace

std::optional<sass::OperandPath> path_of(const isa::Variant& variant, int level, const Experiment& experiment,
                                         const line::Batch& batch, const TrialNumbers& trials) {
  if (level == 0 || variant.operand.empty()) return std::nullopt;
  const auto kernels = kernels_of(experiment, batch, trials);
  if (!kernels) return std::nullopt;
  const auto& [with, without] = *kernels;
  const auto& operand_loads = experiment.trials[Role::differential].kernel.operand_loads;
  const auto loads = loads_of(operand_loads, operand_of(*variant.form, variant.operand));
  return sass::operand_path(*with->window, *without->window, with->operand_loads, loads);
}

bool result_is_constant(const isa::Variant& variant, const Experiment& experiment, const line::Batch& batch,
                        const TrialNumbers& trials) {
  const auto kernels = kernels_of(experiment, batch, trials);
  if (!kernels) return false;
  std::vector<int> loads;
  for (const auto& operand : variant.form->operands) {
    if (!isa::is_source(operand)) continue;
    const auto of_operand = loads_of(experiment.trials[Role::differential].kernel.operand_loads, operand);
    loads.insert(loads.end(), of_operand.begin(), of_operand.end());
  }
  const auto reaches = sass::reaches_result(*kernels->with->window, kernels->with->operand_loads, loads);
  return !loads.empty() && reaches && !*reaches;
}

}  // namespace ptxlat::latency
