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

// Cells to re-measure in a second process, with the first process's record of each (method.md, trap 16).
//   cells  in the order of the plan
//   first  by the text of a cell's key; empty until it is recorded
struct RepeatedCells {
  std::vector<line::Cell> cells;
  std::map<std::string, std::optional<results::Record>> first;

  // Keeps the record if its cell is in the sample.
  void note(const results::Record& cell);
  // The cell's recorded result; null if there is none.
  const results::Record* noted(const results::Record& cell) const;
};

// A random sample of `cells`: this share of them, or by default a fiftieth, but at most 1,000, which are enough to show
// an error that is constant within a process.
RepeatedCells sample_of(const std::vector<latency::CellPlan>& plan, const std::vector<line::Cell>& cells,
                        std::optional<double> share, std::uint64_t seed);

}  // namespace ptxlat::run
