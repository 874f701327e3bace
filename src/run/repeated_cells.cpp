// SPDX-License-Identifier: Apache-2.0
#include "run/repeated_cells.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

namespace ptxlat::run {

void RepeatedCells::note(const results::Record& cell) {
  if (const auto found = first.find(key_of(cell).text()); found != first.end()) found->second.push_back(cell);
}

const results::Record* RepeatedCells::noted(const results::Record& cell) const {
  const auto found = first.find(key_of(cell).text());
  if (found == first.end() || found->second.empty()) return nullptr;
  for (const auto& record : found->second) {
    if (record.gpu == cell.gpu) return &record;
  }
  return &found->second.front();
}

std::vector<line::Cell> RepeatedCells::cells_elsewhere() const {
  auto elsewhere = cells;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& records = first.at(keys[i]);
    if (!records.empty()) elsewhere[i].not_on = records.front().gpu;
  }
  // Chunks are cut where the level or the GPU to avoid changes.
  for (auto begin = elsewhere.begin(); begin != elsewhere.end();) {
    const auto end = std::find_if(begin, elsewhere.end(), [&](const auto& cell) { return cell.level != begin->level; });
    std::stable_sort(begin, end, [](const auto& a, const auto& b) { return a.not_on < b.not_on; });
    begin = end;
  }
  return elsewhere;
}

RepeatedCells sample_of(const std::vector<latency::CellPlan>& plan, const std::vector<line::Cell>& cells,
                        std::optional<double> share, std::uint64_t seed) {
  constexpr double default_share = 0.02;
  constexpr std::size_t most_by_default = 1000;
  const auto wanted = std::ceil(static_cast<double>(cells.size()) * share.value_or(default_share));
  const auto size = std::min(static_cast<std::size_t>(wanted), share ? cells.size() : most_by_default);
  RepeatedCells sample;
  std::mt19937_64 random(seed);
  std::sample(cells.begin(), cells.end(), std::back_inserter(sample.cells), size, random);
  for (const auto& cell : sample.cells) {
    sample.keys.push_back(key_of(plan[cell.number]).text());
    sample.first[sample.keys.back()];
  }
  return sample;
}

}  // namespace ptxlat::run
