// SPDX-License-Identifier: Apache-2.0
#include "latency/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/hash.h"
#include "line/chunks.h"

namespace ptxlat::latency {

namespace {

constexpr std::size_t fewest_pieces_per_shard = 8;

// A piece is about as long as what is assembled together.
std::size_t pieces_per_shard(std::size_t text, std::size_t items, std::size_t shards) {
  const auto wanted = std::max(text / shards / line::most_text_per_chunk, fewest_pieces_per_shard);
  return std::clamp<std::size_t>(items / shards, 1, wanted);
}

// Of a cell without its level.
std::string variant_of(const CellPlan& cell) {
  auto key = key_of(cell);
  key.level = 0;
  return key.text();
}

}  // namespace

std::vector<bool> in_shard(const std::vector<std::size_t>& costs, const results::Shard& shard) {
  const auto total = std::accumulate(costs.begin(), costs.end(), costs.size());
  const auto pieces = shard.count * pieces_per_shard(total, costs.size(), shard.count);
  std::vector<bool> has(costs.size());
  std::size_t before = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto cost = costs[i] + 1;  // a form that the target does not have costs next to nothing
    const auto piece = (before + cost / 2) * pieces / total;
    has[i] = piece % shard.count + 1 == shard.number;
    before += cost;
  }
  return has;
}

std::vector<CellPlan> cells_of_shard(const std::vector<CellPlan>& plan, const results::Shard& shard) {
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> costs, place_of_cell;
  for (const auto& cell : plan) {
    const auto [found, is_new] = places.emplace(variant_of(cell), costs.size());
    if (is_new) costs.push_back(cell.ptx_bytes);
    place_of_cell.push_back(found->second);
  }
  const auto has = in_shard(costs, shard);
  std::vector<CellPlan> cells;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (has[place_of_cell[i]]) cells.push_back(plan[i]);
  }
  return cells;
}

std::string name_of_plan(const std::vector<CellPlan>& plan) {
  Hash hash;
  for (const auto& cell : plan) hash.add(key_of(cell).text());
  return fmt::format("{:016x}", hash.value());
}

}  // namespace ptxlat::latency
