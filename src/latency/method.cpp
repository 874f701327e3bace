// SPDX-License-Identifier: Apache-2.0
#include "latency/method.h"

#include <map>

#include "latency/alike.h"
#include "latency/cells.h"

namespace ptxlat::latency {

std::vector<results::Record> LatencyMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<const CellPlan*> plans;
  for (const auto& cell : chunk) plans.push_back(&plan_[cell.number]);
  auto cells = make_cells(loaded_, bench, plans);

  std::map<int, std::vector<AlikeCell>> by_level;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    for (const auto number : chunk[i].alike) by_level[plan_[number].level].push_back({&plan_[number], &cells[i]});
  }
  std::vector<results::Record> records;
  for (const auto& [level, alike] : by_level) {
    auto lower = bench.at_level(level);
    auto made = make_alike(loaded_, lower, bench.batch(), alike);
    std::move(made.begin(), made.end(), std::back_inserter(records));
  }
  for (auto& cell : cells) take_records(cell, records);
  return records;
}

}  // namespace ptxlat::latency
