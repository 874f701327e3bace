// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "memory/machine.h"
#include "memory/policy.h"

// An L2 of one or two partitions with slices: the inference must recover it.
struct L2Geometry {
  int sms = 16;
  int partitions = 2;
  std::vector<int> side_of_sm;  // empty: the first half is near to partition 0
  std::uint64_t bytes = 32 << 20;
  std::uint64_t page_bytes = 2 << 20;  // physically contiguous; placed at random
  std::uint64_t home_mask = 0x15b000;  // inside a page
  std::uint64_t slice_granule = 4096;
  int slices = 6;  // of a partition
  std::uint64_t line_bytes = 128, sector_bytes = 32, fetch_bytes = 64;
  std::uint64_t sets = 16;  // of a slice
  std::size_t ways = 16;
  std::string policy = "lru";  // or "random"
  double crowded = 0;          // the share of sets in which something else keeps a way for itself
  double near_hit = 260, far = 200, miss = 350, spread = 30;
  double noise = 2, outliers = 0.02;
  // Slices behind a hierarchy, as on a real chip: SMs in clusters, slices in groups and these in pairs, `pitch` cycles
  // from one to the next, less from some clusters than from others. 0: anywhere on the chip, by `spread`.
  double pitch = 0;
  double swing = 0;                   // accesses alternate between this much more and less
  bool has_twins = false;             // the last two slices of a partition are at one place
  bool fetches_forward = false;       // of a block of several lines, an access brings none that lies before its own
  std::size_t translated_pages = 16;  // of an SM, and the cost of a further page
  double translation = 60;

  std::uint64_t near_bytes() const { return static_cast<std::uint64_t>(slices) * sets * ways * line_bytes; }
};
L2Geometry random_l2(std::mt19937_64& random);

class SimulatedL2 : public ptxlat::memory::Machine {
 public:
  SimulatedL2(L2Geometry geometry, std::uint64_t seed);
  ~SimulatedL2() override;
  const ptxlat::memory::MachineInfo& info() const override { return info_; }
  void prepare() override;
  std::vector<double> access(const std::vector<ptxlat::memory::Addresses>& list, const std::string& with,
                             int sm) override;
  void touch(const std::vector<ptxlat::memory::Addresses>& list, const std::string& with, int sm) override;
  std::uint64_t calls() const { return calls_; }
  std::uint64_t accesses() const { return accesses_; }

 private:
  struct Set;
  // Whether the sector was present; it and the block of this many bytes around it are present afterwards.
  bool take(std::uint64_t address, std::uint64_t bytes, int partition);
  bool take_at_home(std::uint64_t address, std::uint64_t bytes);
  // Cycles without noise.
  double access_one(std::uint64_t address, bool is_atomic, std::uint64_t fetch, int sm);
  void place_anywhere();
  void place_in_groups();
  double distance(int sm, std::uint64_t address, int partition) const;
  std::uint64_t fetch_of(const std::string& with) const;

  L2Geometry geometry_;
  ptxlat::memory::MachineInfo info_;
  std::mt19937_64 random_;
  // Of each line: its set, counted through all slices of a partition, and the partition that is its home.
  std::vector<std::uint32_t> set_of_line_;
  std::vector<std::uint8_t> home_of_line_;
  std::vector<Set> sets_;
  std::vector<std::vector<double>> distances_;          // [SM][slice of all]
  std::vector<std::vector<std::uint64_t>> translated_;  // [SM], the last used at the end
  std::uint64_t calls_ = 0, accesses_ = 0;
};
