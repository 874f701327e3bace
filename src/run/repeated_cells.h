// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "latency/plan.h"
#include "results/record.h"

namespace ptxlat::run {

// Cells to re-measure in a second process, with the first process's records of each (method.md, trap 16).
//   cells  in the order of the plan
//   keys   the text of each cell's key
//   first  by that text: one record, or one of each GPU
struct RepeatedCells {
  std::vector<line::Cell> cells;
  std::vector<std::string> keys;
  std::map<std::string, std::vector<results::Record>> first;

  // Keeps the record if its cell is in the sample.
  void note(const results::Record& cell);
  // The cell's recorded result, of the same GPU if there is one; null if there is none.
  const results::Record* noted(const results::Record& cell) const;
  // The cells, each to be made on a different GPU than before, if there is one.
  std::vector<line::Cell> cells_elsewhere() const;
};

// A random sample of `cells`: this share of them, or by default a fiftieth, but at most 1,000, which are enough to show
// an error that is constant within a process.
RepeatedCells sample_of(const std::vector<latency::CellPlan>& plan, const std::vector<line::Cell>& cells,
                        std::optional<double> share, std::uint64_t seed);

}  // namespace ptxlat::run
