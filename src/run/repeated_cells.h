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
//   first  by the text of a cell's key; empty until it is noted
struct RepeatedCells {
  std::vector<line::Cell> cells;
  std::map<std::string, std::optional<results::Record>> first;

  // Keeps the record if its cell is in the sample.
  void note(const results::Record& cell);
  // What was noted of the cell; null if nothing was.
  const results::Record* noted(const results::Record& cell) const;
};

// A random sample of `cells`: this share of them, or without one a fiftieth, but no more than 1,000, which are enough
// to show an error that is systematic in a process.
RepeatedCells sample_of(const std::vector<latency::CellPlan>& plan, const std::vector<line::Cell>& cells,
                        std::optional<double> share, std::uint64_t seed);

}  // namespace ptxlat::run
