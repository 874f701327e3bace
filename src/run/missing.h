// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "line/line.h"
#include "results/store.h"
#include "run/gpu_runs.h"

namespace ptxlat::run {

// Sends the cells that the store does not have down the line and commits their records, chunk by chunk. `keys` are
// those of the method's cells, by Cell::number; the line's on_finished is set here.
//   runs         at their start; get their numbers, and their end time when everything is done
//   on_finished  may be empty; called with how many more cells are now in the store: once at the start, then after each
//                chunk
// Throws what run_line throws.
struct Made {
  std::size_t made = 0;
  bool completed = false;  // false if it was interrupted; every finished record is in the store
};
Made make_missing(line::Line line, const line::Method& method,
                  const std::vector<std::unique_ptr<line::KernelAssembler>>& assemblers,
                  std::span<const line::Cell> cells, std::span<const results::CellKey> keys, results::Store& store,
                  GpuRuns& runs, const std::function<void(std::size_t)>& on_finished);

}  // namespace ptxlat::run
