#include "measure/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "hash.h"
#include "parallel.h"
#include "ptx/experiment.h"

namespace ptxlat {

namespace {

void add(Hash& hash, const Kernel& kernel) {
  hash.add(kernel.text);
  for (const auto& text : kernel.module) hash.add(text);
  for (const int number : {kernel.lanes, kernel.cluster, kernel.dynamic_shared}) hash.add(&number, sizeof(number));
  hash.add(kernel.input.data(), kernel.input.size() * sizeof(kernel.input[0]));
}

void plan_experiment(const Catalogue& catalogue, const Skeletons& skeletons, CellPlan& cell) {
  const auto& variant = cell.variant;
  Hash hash;
  hash.add(method_version);
  hash.add(variant.form->no_dependency);
  const auto& needs = variant.form->requirement;
  hash.add(fmt::format("{}.{} {}", needs.ptx_major, needs.ptx_minor, targets_text(needs)));
  if (!variant.form->unsupported.empty()) hash.add(variant.form->unsupported);
  std::vector<const Consumer*> consumers;
  if (variant.form->no_dependency.empty() && variant.form->unsupported.empty())
    consumers = consumers_for(catalogue, variant);
  if (!consumers.empty()) {
    auto experiment = expand(catalogue, skeletons, variant, consumers.front());
    for (const auto& kernel : experiment.kernels.values) {
      add(hash, kernel);
      cell.ptx_bytes += kernel.text.size();
    }
    for (std::size_t other = 1; other < consumers.size(); ++other) {
      change_consumer(catalogue, skeletons, variant, consumers[other], experiment);
      for (const Role role : {Role::differential, Role::differential_base}) add(hash, experiment.kernels[role]);
    }
  }
  cell.recipe = fmt::format("{:016x}", hash.value);
}

}  // namespace

CellKey key_of(const CellPlan& cell) {
  return {cell.variant.form->ptx, cell.variant.operand, cell.variant.input->name, cell.level, cell.recipe};
}

std::vector<CellPlan> plan_cells(const Catalogue& catalogue, const Skeletons& skeletons,
                                 const std::vector<const Form*>& forms, const std::vector<int>& levels) {
  std::vector<CellPlan> of_one_level;
  auto ordered = forms;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Form* a, const Form* b) { return a->order < b->order; });
  for (const auto* form : ordered) {
    for (const auto& variant : variants_of(*form)) of_one_level.push_back({variant, 0, {}, 0});
  }
  in_parallel(of_one_level.size(), [&](std::size_t i) { plan_experiment(catalogue, skeletons, of_one_level[i]); });
  std::vector<CellPlan> cells;
  for (const int level : levels) {
    for (auto cell : of_one_level) {
      cell.level = level;
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

}  // namespace ptxlat
