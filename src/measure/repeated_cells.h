#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/plan.h"
#include "results/record.h"

namespace ptxlat {

// Cells that are measured again in another process, and what the first one found of each (method.md, trap 16).
//   cells  in the order of the plan
//   first  by the text of a cell's key; empty until it is noted
struct RepeatedCells {
  std::vector<CellPlan> cells;
  std::map<std::string, std::optional<CellRecord>> first;

  // Keeps the record if its cell is in the sample.
  void note(const CellRecord& cell);
  // What was noted of the cell; null if nothing was.
  const CellRecord* noted(const CellRecord& cell) const;
};

// A random sample: this share of the cells, or without one a fiftieth, but no more than 1,000, which are enough to show
// an error that is systematic in a process.
RepeatedCells sample_of(const std::vector<CellPlan>& cells, std::optional<double> share, std::uint64_t seed);

}  // namespace ptxlat
