// SPDX-License-Identifier: Apache-2.0
#include "run/parts.h"

#include <algorithm>
#include <iterator>

namespace ptxlat::run {

PartsMethod::PartsMethod(const std::vector<Part>& parts) {
  for (const auto& part : parts) {
    for (auto cell : part.cells) {
      cell.number += keys_.size();
      cells_.push_back(std::move(cell));
    }
    keys_.insert(keys_.end(), part.keys.begin(), part.keys.end());
    methods_.push_back(part.method);
    ends_.push_back(keys_.size());
  }
}

std::vector<results::Record> PartsMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<results::Record> records;
  while (!chunk.empty()) {
    const auto part = std::upper_bound(ends_.begin(), ends_.end(), chunk.front().number) - ends_.begin();
    const auto begin = part == 0 ? 0 : ends_[static_cast<std::size_t>(part) - 1];
    const auto end = ends_[static_cast<std::size_t>(part)];
    std::vector<line::Cell> cells;
    for (const auto& cell : chunk) {
      if (cell.number < begin || cell.number >= end) break;
      cells.push_back(cell);
      cells.back().number -= begin;
    }
    auto made = methods_[static_cast<std::size_t>(part)]->make(bench, cells);
    std::move(made.begin(), made.end(), std::back_inserter(records));
    chunk = chunk.subspan(cells.size());
  }
  return records;
}

}  // namespace ptxlat::run
