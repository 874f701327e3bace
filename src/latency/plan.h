// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/form.h"
#include "line/chunks.h"
#include "ptx/skeleton.h"
#include "results/shards.h"
#include "results/store.h"

namespace ptxlat::latency {

// Version of the audit and estimate rules. Bump it whenever they would give a different answer for the same kernels.
inline constexpr char method_version[] = "method 25";

// One cell to be made: a variant at an optimisation level.
//   recipe     hash of the PTX, the operand values and the consumers that can be tried: equal recipes are the same
//              experiment, so a cell that is in the store with this recipe need not be measured again
//   ptx_bytes  length of all its kernels' text: the cost of assembling grows with it
struct CellPlan {
  isa::Variant variant;
  int level = 0;
  std::string recipe;
  std::size_t ptx_bytes = 0;
};
results::CellKey key_of(const CellPlan& cell);

// All variants of the forms at all levels: level by level, in the order of the chapters (Form::order).
std::vector<CellPlan> plan_cells(const ptx::LoadedCatalogue& loaded, const std::vector<const isa::Form*>& forms,
                                 const std::vector<int>& levels);

// The cells as the line takes them; their numbers are indices into the plan.
std::vector<line::Cell> line_cells(const std::vector<CellPlan>& plan);

// The same cells, but those above -O1 that differ only in their level are one: that of the highest level, which names
// the others (line::Cell::alike).
std::vector<line::Cell> with_alike(const std::vector<CellPlan>& plan, const std::vector<line::Cell>& cells);

// The part that a cell is in depends on the plan alone, so that machines that know nothing of each other make each cell
// once.

// For each of a row of items, whether the shard has it. The row is cut into pieces of equal cost, which are dealt to
// the shards in turn: neighbours stay together, since they share kernels, and every shard gets some of each chapter.
std::vector<bool> in_shard(const std::vector<std::size_t>& costs, const results::Shard& shard);

// A shard's cells, in the order of the plan: all levels of a variant are in the same one.
std::vector<CellPlan> cells_of_shard(const std::vector<CellPlan>& plan, const results::Shard& shard);

// Hash of the cells and their recipes: the shards of equal plans are parts of the same table.
std::string name_of_plan(const std::vector<CellPlan>& plan);

}  // namespace ptxlat::latency
