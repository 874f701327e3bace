// SPDX-License-Identifier: Apache-2.0
#include "simulated_cache.h"

#include <algorithm>
#include <bit>

using namespace ptxlat;

namespace {

std::uint64_t hashed(const std::vector<std::uint64_t>& columns, std::uint64_t line) {
  std::uint64_t set = 0;
  for (std::size_t bit = 0; bit < columns.size(); ++bit)
    if (line >> bit & 1) set ^= columns[bit];
  return set;
}

}  // namespace

std::uint64_t CacheGeometry::set_of(std::uint64_t address) const {
  std::uint64_t line = address / line_bytes;
  if (is_scrambled) return line * 0x9e3779b97f4a7c15 >> 40 & (sets - 1);
  if (columns.empty()) return line % sets;
  return hashed(columns, line);
}

std::uint64_t CacheGeometry::part_of(std::uint64_t line) const { return hashed(data_columns, line); }

std::uint64_t CacheGeometry::data_parts() const {
  std::uint64_t all = 0;
  for (const auto column : data_columns) all |= column;
  return all + 1;
}

// Lines by way, with the sectors that are there.
struct SimulatedCache::Set {
  struct Way {
    bool used = false;
    std::uint64_t line = 0;
    std::uint64_t sectors = 0;
  };
  std::vector<Way> ways;
  std::unique_ptr<memory::ReplacementPolicy> policy;  // null: random
};

SimulatedCache::SimulatedCache(CacheGeometry geometry, std::uint64_t seed)
    : geometry_(std::move(geometry)), random_(seed) {
  info_ = {"cache", "l1", geometry_.bytes, {"ca"}, 1, geometry_.most_accesses};
}
SimulatedCache::~SimulatedCache() = default;
SimulatedCache::SimulatedCache(SimulatedCache&&) noexcept = default;

void SimulatedCache::prepare() {
  sets_.clear();
  by_use_.clear();
}

// If its part of the data array is full, the least recently used line leaves it, and its tag with it.
void SimulatedCache::use_data_of(std::uint64_t line) {
  if (geometry_.data_lines == 0) return;
  auto& lines = by_use_[geometry_.part_of(line)];
  lines.remove(line);
  lines.push_front(line);
  if (lines.size() <= geometry_.data_lines) return;
  const std::uint64_t last = lines.back();
  lines.pop_back();
  for (auto& way : sets_.at(geometry_.set_of(last * geometry_.line_bytes)).ways)
    if (way.used && way.line == last) way.used = false;
}

bool SimulatedCache::access_one(std::uint64_t address) {
  const auto number = geometry_.set_of(address);
  auto [found, is_new] = sets_.try_emplace(number);
  Set& set = found->second;
  if (is_new) {
    const std::size_t ways = geometry_.size_of(number);
    set.ways.resize(ways);
    if (geometry_.policy != "random") set.policy = memory::make_policy({geometry_.policy, geometry_.variant}, ways);
  }
  const std::uint64_t line = address / geometry_.line_bytes;
  const std::uint64_t sector = std::uint64_t{1} << (address % geometry_.line_bytes / geometry_.sector_bytes);
  for (std::size_t way = 0; way < set.ways.size(); ++way) {
    Set::Way& one = set.ways[way];
    if (!one.used || one.line != line) continue;
    if (set.policy) set.policy->hit(way);
    use_data_of(line);
    const bool is_hit = (one.sectors & sector) != 0;
    one.sectors |= sector;
    return is_hit;
  }
  std::size_t way = set.ways.size();
  if (geometry_.fills_empty_ways_first || set.policy)
    way = static_cast<std::size_t>(
        std::find_if(set.ways.begin(), set.ways.end(), [](const Set::Way& w) { return !w.used; }) - set.ways.begin());
  if (way == set.ways.size()) {
    if (set.policy) {
      way = set.policy->victim();
    } else if (geometry_.victim_weights.size() == set.ways.size()) {
      way = static_cast<std::size_t>(
          std::discrete_distribution<int>(geometry_.victim_weights.begin(), geometry_.victim_weights.end())(random_));
    } else {
      way = random_() % set.ways.size();
    }
  }
  if (set.ways[way].used && geometry_.data_lines != 0)
    by_use_[geometry_.part_of(set.ways[way].line)].remove(set.ways[way].line);
  set.ways[way] = {true, line, sector};
  use_data_of(line);
  if (set.policy) set.policy->fill(way);
  return false;
}

std::vector<double> SimulatedCache::access(const std::vector<memory::Addresses>& list, const std::string&, int) {
  std::vector<double> cycles;
  const double distance = geometry_.miss - geometry_.hit;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const auto& run : list) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const bool is_hit = access_one(run.at(i));
      double one = is_hit ? geometry_.hit : geometry_.miss;
      if (uniform(random_) < geometry_.noisy) one += geometry_.noise * distance * (2 * uniform(random_) - 1);
      cycles.push_back(one);
    }
  }
  accesses_ += cycles.size();
  return cycles;
}

SimulatedHierarchy::SimulatedHierarchy(std::string kind, std::string space, std::vector<CacheGeometry> levels,
                                       std::vector<double> cycles, std::uint64_t seed)
    : cycles_(std::move(cycles)),
      info_{std::move(kind), std::move(space), levels.back().bytes, {}, 1, memory::MachineInfo::unlimited},
      random_(seed) {
  levels_.reserve(levels.size());
  for (auto& level : levels) levels_.emplace_back(std::move(level), ++seed);
}

void SimulatedHierarchy::prepare() {
  for (auto& level : levels_) level.prepare();
}

std::vector<double> SimulatedHierarchy::access(const std::vector<memory::Addresses>& list, const std::string&, int) {
  std::vector<double> cycles;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const auto& run : list) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const auto address = run.at(i);
      std::size_t level = 0;
      while (level < levels_.size() && !levels_[level].access_one(address)) ++level;
      double one = cycles_[level];
      // Noise up to a quarter of the way to the nearest level.
      if (uniform(random_) < 0.02) {
        double nearest = 1e9;
        if (level > 0) nearest = one - cycles_[level - 1];
        if (level + 1 < cycles_.size()) nearest = std::min(nearest, cycles_[level + 1] - one);
        one += 0.25 * nearest * (2 * uniform(random_) - 1);
      }
      cycles.push_back(one);
    }
  }
  accesses_ += cycles.size();
  return cycles;
}

namespace {

// Columns of full rank, in any order.
std::vector<std::uint64_t> random_columns(std::mt19937_64& random, int index_bits, int line_bits) {
  const auto mask = (std::uint64_t{1} << index_bits) - 1;
  for (;;) {
    std::vector<std::uint64_t> columns;
    for (int bit = 0; bit < line_bits; ++bit) {
      // Hardware takes low bits as they are and mixes higher ones in.
      columns.push_back(bit < index_bits && random() % 4 != 0 ? std::uint64_t{1} << bit : random() & mask);
    }
    std::vector<std::uint64_t> rows = columns;
    int rank = 0;
    for (int bit = 0; bit < index_bits; ++bit) {
      const auto pivot = std::find_if(rows.begin() + rank, rows.end(), [&](auto row) { return row >> bit & 1; });
      if (pivot == rows.end()) break;
      std::iter_swap(rows.begin() + rank, pivot);
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (i != static_cast<std::size_t>(rank) && (rows[i] >> bit & 1))
          rows[i] ^= rows[static_cast<std::size_t>(rank)];
      ++rank;
    }
    if (rank == index_bits) return columns;
  }
}

}  // namespace

CacheGeometry random_geometry(std::mt19937_64& random) {
  CacheGeometry cache;
  const auto one_of = [&](auto... choices) {
    const std::uint64_t list[] = {static_cast<std::uint64_t>(choices)...};
    return list[random() % std::size(list)];
  };
  const int line_bits = 4 + static_cast<int>(random() % 6);
  cache.line_bytes = std::uint64_t{1} << line_bits;
  cache.sector_bytes = std::max<std::uint64_t>(cache.line_bytes >> one_of(0, 0, 1, 2), 4);
  cache.ways = 1 + random() % 24;
  const int index_bits = static_cast<int>(random() % 13);
  cache.sets = std::uint64_t{1} << index_bits;
  const auto lines = [&] { return cache.sets * cache.ways; };
  if (random() % 5 == 0) {
    cache.sets = 1 + random() % 4096;
    if (random() % 2 == 0) cache.line_bytes = cache.sector_bytes = one_of(24, 48, 96, 160, 320);
  }
  cache.bytes = std::bit_ceil(lines() * cache.line_bytes) * one_of(4, 8, 16);
  cache.bytes = std::max<std::uint64_t>(cache.bytes, 1 << 16);
  if (std::has_single_bit(cache.sets) && std::has_single_bit(cache.line_bytes) && cache.sets > 1 && random() % 2 == 0) {
    const int bits = std::countr_zero(cache.bytes) - std::countr_zero(cache.line_bytes);
    cache.columns = random_columns(random, std::countr_zero(cache.sets), bits);
  }
  if (cache.columns.empty() && random() % 6 == 0) {
    if (lines() > 32 && lines() <= 2048 && random() % 2 == 0) {
      cache.data_lines = lines() - random() % (lines() / 2);
    } else if (cache.sets <= 64) {
      for (std::uint64_t set = 0; set < cache.sets; ++set)
        cache.set_sizes.push_back(std::min<std::size_t>(cache.ways + (set % 3 == 0 ? random() % 4 : 0), 24));
    }
  }
  if (random() % 5 == 0) {
    cache.policy = "random";
    cache.fills_empty_ways_first = cache.ways > 8 || cache.sets > 64 || random() % 2 == 0;
    if (random() % 2 == 0) {
      for (std::size_t way = 0; way < cache.ways; ++way)
        cache.victim_weights.push_back(static_cast<double>(1 + random() % 4));
    }
  } else {
    const auto kinds = memory::deterministic_policies(cache.ways);
    // By name first: most kinds are places to insert at.
    const auto& any = kinds[random() % kinds.size()];
    const auto& common = kinds[random() % std::min<std::size_t>(kinds.size(), 3)];
    const auto& kind = random() % 2 ? any : common;
    cache.policy = kind.name;
    cache.variant = kind.variant;
  }
  if (!cache.set_sizes.empty()) {
    // Not every policy is one of every size.
    cache.policy = random() % 2 ? "lru" : "random";
    cache.variant = 0;
    cache.victim_weights.clear();
  }
  cache.miss = cache.hit + 20 + static_cast<double>(random() % 500);
  return cache;
}

std::vector<std::uint64_t> spreading_columns(std::uint64_t polynomial, int bits) {
  std::vector<std::uint64_t> columns;
  std::uint64_t column = 1;
  for (int bit = 0; bit < bits; ++bit) {
    columns.push_back(column);
    column <<= 1;
    if (std::bit_width(column) == std::bit_width(polynomial)) column ^= polynomial;
  }
  return columns;
}

std::vector<std::uint64_t> projected(const std::vector<std::uint64_t>& columns, std::uint64_t low, std::uint64_t high) {
  std::vector<std::uint64_t> parts;
  const auto parity = [](std::uint64_t bits) { return static_cast<std::uint64_t>(std::popcount(bits) & 1); };
  for (const auto column : columns) parts.push_back(parity(column & low) | parity(column & high) << 1);
  return parts;
}

CacheGeometry random_hashed_geometry(std::mt19937_64& random) {
  CacheGeometry cache;
  cache.sector_bytes = random() % 2 == 0 ? 32 : 128;
  cache.sets = std::uint64_t{1} << (5 + random() % 5);
  cache.ways = 2 + random() % 7;
  cache.bytes = std::bit_ceil(cache.sets * cache.ways * cache.line_bytes) * 8;
  const int bits = std::countr_zero(cache.bytes) - std::countr_zero(cache.line_bytes);
  cache.columns = spreading_columns(cache.sets | (random() & (cache.sets - 1)) | 1, bits);
  // A part has the tags of its own sets. There are one, two or four.
  const std::uint64_t others = random() & (cache.sets - 1) & ~std::uint64_t{3},
                      parts = std::uint64_t{1} << random() % 3;
  cache.data_columns = projected(cache.columns, parts > 1 ? 1 | others : 0, parts > 2 ? 2 | (others >> 1 & ~3U) : 0);
  cache.data_lines = cache.sets * cache.ways / parts * (50 + random() % 45) / 100;
  cache.miss = cache.hit + 20 + static_cast<double>(random() % 500);
  return cache;
}
