// SPDX-License-Identifier: Apache-2.0
#include "latency/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/hash.h"
#include "base/parallel.h"
#include "latency/experiment.h"
#include "line/chunks.h"

namespace ptxlat::latency {

namespace {

void plan_experiment(const ptx::LoadedCatalogue& loaded, CellPlan& cell) {
  const auto& variant = cell.variant;
  Hash hash;
  hash.add(std::string_view(method_version));
  hash.add(variant.form->not_measurable);
  hash.add(variant.form->audit);
  hash.add(loaded.skeletons.subroutine.text);
  const auto needs = isa::requirement_of(variant);
  hash.add(fmt::format("{}.{} {}", needs.ptx_major, needs.ptx_minor, isa::targets_text(needs)));
  if (!variant.form->unsupported_because.empty()) hash.add(variant.form->unsupported_because);
  std::vector<const isa::Consumer*> consumers;
  if (variant.form->not_measurable.empty() && variant.form->unsupported_because.empty())
    consumers = consumers_for(loaded.catalogue, variant);
  if (!consumers.empty()) {
    auto experiment = expand(loaded, variant, consumers.front());
    for (const auto& trial : experiment.trials.values) {
      ptx::add(hash, trial);
      cell.ptx_bytes += trial.kernel.text.size();
    }
    for (std::size_t other = 1; other < consumers.size(); ++other) {
      change_consumer(loaded, variant, consumers[other], experiment);
      for (const Role role : {Role::differential, Role::differential_base}) ptx::add(hash, experiment.trials[role]);
    }
  }
  cell.recipe = hash.text();
}

}  // namespace

results::CellKey key_of(const CellPlan& cell) {
  return {results::RecordKind::latency,
          cell.variant.form->ptx,
          cell.variant.operand,
          cell.variant.input->name,
          cell.level,
          cell.recipe};
}

std::vector<CellPlan> plan_cells(const ptx::LoadedCatalogue& loaded, const std::vector<const isa::Form*>& forms,
                                 const std::vector<int>& levels) {
  std::vector<CellPlan> of_one_level;
  auto ordered = forms;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const isa::Form* a, const isa::Form* b) { return a->order < b->order; });
  for (const auto* form : ordered) {
    for (const auto& variant : isa::variants_of(*form)) of_one_level.push_back({variant, 0, {}, 0});
  }
  in_parallel(of_one_level.size(), [&](std::size_t i) { plan_experiment(loaded, of_one_level[i]); });
  std::vector<CellPlan> cells;
  for (const int level : levels) {
    for (auto cell : of_one_level) {
      cell.level = level;
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

std::vector<line::Cell> line_cells(const std::vector<CellPlan>& plan) {
  std::vector<line::Cell> cells;
  for (std::size_t i = 0; i < plan.size(); ++i) cells.push_back({i, plan[i].level, plan[i].ptx_bytes});
  return cells;
}

std::vector<line::Cell> with_alike(const std::vector<CellPlan>& plan, const std::vector<line::Cell>& cells) {
  constexpr int lowest = 2;  // -O1 has different streams
  struct Group {
    const line::Cell* highest = nullptr;
    std::vector<std::size_t> lower = {};
  };
  std::unordered_map<std::string, Group> groups;  // by a cell's key without its level
  std::vector<Group*> of_cell(cells.size(), nullptr);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].level < lowest) continue;
    auto key = key_of(plan[cells[i].number]);
    key.level = 0;
    of_cell[i] = &groups[key.text()];
    auto& highest = of_cell[i]->highest;
    if (highest == nullptr || highest->level < cells[i].level) highest = &cells[i];
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (of_cell[i] != nullptr && of_cell[i]->highest != &cells[i]) of_cell[i]->lower.push_back(cells[i].number);
  }
  std::vector<line::Cell> kept;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (of_cell[i] != nullptr && of_cell[i]->highest != &cells[i]) continue;
    kept.push_back(cells[i]);
    if (of_cell[i] != nullptr) kept.back().alike = std::move(of_cell[i]->lower);
  }
  return kept;
}

namespace {

constexpr std::size_t fewest_pieces_per_shard = 8;

// A piece is about as long as what is assembled together.
std::size_t pieces_per_shard(std::size_t text, std::size_t items, std::size_t shards) {
  const auto wanted = std::max(text / shards / line::most_text_per_chunk, fewest_pieces_per_shard);
  return std::clamp<std::size_t>(items / shards, 1, wanted);
}

// Of a cell without its level.
std::string variant_of(const CellPlan& cell) {
  auto key = key_of(cell);
  key.level = 0;
  return key.text();
}

}  // namespace

std::vector<bool> in_shard(const std::vector<std::size_t>& costs, const results::Shard& shard) {
  const auto total = std::accumulate(costs.begin(), costs.end(), costs.size());
  const auto pieces = shard.count * pieces_per_shard(total, costs.size(), shard.count);
  std::vector<bool> has(costs.size());
  std::size_t before = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto cost = costs[i] + 1;  // a form that the target does not have costs next to nothing
    const auto piece = (before + cost / 2) * pieces / total;
    has[i] = piece % shard.count + 1 == shard.number;
    before += cost;
  }
  return has;
}

std::vector<CellPlan> cells_of_shard(const std::vector<CellPlan>& plan, const results::Shard& shard) {
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> costs, place_of_cell;
  for (const auto& cell : plan) {
    const auto [found, is_new] = places.emplace(variant_of(cell), costs.size());
    if (is_new) costs.push_back(cell.ptx_bytes);
    place_of_cell.push_back(found->second);
  }
  const auto has = in_shard(costs, shard);
  std::vector<CellPlan> cells;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (has[place_of_cell[i]]) cells.push_back(plan[i]);
  }
  return cells;
}

std::string name_of_plan(const std::vector<CellPlan>& plan) {
  Hash hash;
  for (const auto& cell : plan) hash.add(key_of(cell).text());
  return hash.text();
}

}  // namespace ptxlat::latency
