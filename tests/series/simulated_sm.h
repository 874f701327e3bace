// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::series {

// An invented multiprocessor: how warps share schedulers, how these choose, and what they issue.
//   policy     of series/issue_rules.h
//   width      instructions of different pipes that a scheduler issues in a clock
//   intervals  cycles between two instructions of a pipe, by pipe
struct SimulatedSm {
  std::size_t modulus = 4;
  std::string policy = "greedy_oldest";
  int width = 1;
  std::vector<double> intervals = {1, 2};

  struct Warp {
    std::size_t number = 0;
    int arrives = 0, work = 0;
    int start = -1, end = -1;  // clocks of the first instruction and after the last
  };
  // Runs warps that can issue whenever they may, clock by clock, one instruction of the first pipe after the other.
  void run(std::vector<Warp>& warps) const;
};

// What the shipped probes would measure of it, with their axes: `scheduler`, `scheduler_policy` and `issue_rate`.
results::Series pair_series(const SimulatedSm& sm);
results::Series policy_series(const SimulatedSm& sm, bool is_noisy = false);
results::Series rate_series(const SimulatedSm& sm, std::uint64_t seed);

}  // namespace ptxlat::series
