// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "latency/plan.h"
#include "results/shards.h"

namespace ptxlat::latency {

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
