// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/machine.h"
#include "memory/policy.h"

// A cache of known geometry, as an exact model: the inference must recover it.
struct CacheGeometry {
  std::uint64_t line_bytes = 128;
  std::uint64_t sector_bytes = 128;
  std::uint64_t sets = 4;
  std::size_t ways = 4;
  std::vector<std::size_t> set_sizes;  // where sets differ
  std::vector<std::uint64_t> columns;  // of a hash, for the line number's bits; empty: modulo
  std::string policy = "lru";          // or "random"
  int variant = 0;
  std::vector<double> victim_weights;  // of a random policy; empty: equal
  bool fills_empty_ways_first = true;
  std::uint64_t data_lines =
      0;  // lines that a part of the data array holds, if there are more tags; 0: as many as tags
  std::vector<std::uint64_t> data_columns;  // of the hash that chooses a line's part; empty: one part
  bool is_scrambled = false;                // the set is a function of the line that is not linear
  double hit = 32, miss = 280;
  double noise = 0.25, noisy = 0.02;  // up to this part of the distance, on this part of the accesses
  std::uint64_t bytes = 1 << 20;
  std::uint64_t most_accesses = ptxlat::memory::MachineInfo::unlimited;  // between two calls of prepare

  std::uint64_t set_of(std::uint64_t address) const;
  std::uint64_t part_of(std::uint64_t line) const;  // of the data array
  std::uint64_t data_parts() const;
  std::size_t size_of(std::uint64_t set) const { return set_sizes.empty() ? ways : set_sizes[set]; }
};

class SimulatedCache : public ptxlat::memory::Machine {
 public:
  SimulatedCache(CacheGeometry geometry, std::uint64_t seed);
  ~SimulatedCache() override;
  SimulatedCache(SimulatedCache&&) noexcept;
  const ptxlat::memory::MachineInfo& info() const override { return info_; }
  void prepare() override;
  std::vector<double> access(const std::vector<ptxlat::memory::Addresses>& list, const std::string&, int) override;
  std::uint64_t accesses() const { return accesses_; }
  // Whether it was there; it is afterwards.
  bool access_one(std::uint64_t address);

 private:
  struct Set;
  void use_data_of(std::uint64_t line);

  CacheGeometry geometry_;
  ptxlat::memory::MachineInfo info_;
  std::mt19937_64 random_;
  std::unordered_map<std::uint64_t, Set> sets_;
  // Lines of each part of the data, the last used first: kept only where data are fewer than tags.
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>> by_use_;
  std::uint64_t accesses_ = 0;
};

// Caches one after the other: a miss in one goes to the next, and all that missed have the line afterwards.
class SimulatedHierarchy : public ptxlat::memory::Machine {
 public:
  // `cycles`: of a hit in each level, then beyond the last.
  SimulatedHierarchy(std::string kind, std::string space, std::vector<CacheGeometry> levels, std::vector<double> cycles,
                     std::uint64_t seed);
  const ptxlat::memory::MachineInfo& info() const override { return info_; }
  void prepare() override;
  std::vector<double> access(const std::vector<ptxlat::memory::Addresses>& list, const std::string&, int) override;
  std::uint64_t accesses() const { return accesses_; }

 private:
  std::vector<SimulatedCache> levels_;
  std::vector<double> cycles_;
  ptxlat::memory::MachineInfo info_;
  std::mt19937_64 random_;
  std::uint64_t accesses_ = 0;
};

// Any of them, from the ranges that docs/inference.md promises.
CacheGeometry random_geometry(std::mt19937_64& random);
// One whose tags are chosen by a hash over which all powers of two spread evenly, and whose data array, which holds
// fewer lines, has parts that are chosen by another.
CacheGeometry random_hashed_geometry(std::mt19937_64& random);
// Columns of so many bits of a line's number: powers of x modulo a polynomial, of which so many successive ones as it
// has degree are independent, so that powers of two spread evenly.
std::vector<std::uint64_t> spreading_columns(std::uint64_t polynomial, int bits);
// Of a part, of two bits: the parity of each mask's bits of a column.
std::vector<std::uint64_t> projected(const std::vector<std::uint64_t>& columns, std::uint64_t low, std::uint64_t high);
