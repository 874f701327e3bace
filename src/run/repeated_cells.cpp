// SPDX-License-Identifier: Apache-2.0
#include "run/repeated_cells.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

namespace ptxlat::run {

void RepeatedCells::note(const results::Record& cell) {
  if (const auto found = first.find(key_of(cell).text()); found != first.end()) found->second = cell;
}

const results::Record* RepeatedCells::noted(const results::Record& cell) const {
  const auto found = first.find(key_of(cell).text());
  return found != first.end() && found->second ? &*found->second : nullptr;
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
  for (const auto& cell : sample.cells) sample.first[key_of(plan[cell.number]).text()];
  return sample;
}

}  // namespace ptxlat::run
