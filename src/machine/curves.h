// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "machine/loop.h"
#include "machine/one_at_a_time.h"
#include "machine/rates.h"
#include "results/record.h"

namespace ptxlat::machine {

// The SM time that one more copy in each warp takes, in cycles, from the times of both loops.
using TimeOfCopy = std::function<double(const Timing& timing)>;

// Puts the curve over warps into the record, how far its launches spread, and its result.
void put_rates(results::Record& record, const std::vector<int>& warps, const LoopTimes& times,
               const TimeOfCopy& time_of_copy);

// A throughput is unstable if its bounds, two standard errors below and above, are further apart than this share of it.
// At this limit, two runs differ by 1 % or more in one case of twenty.
inline constexpr double largest_spread = 0.014;

// The result of a record's curve over warps, with the current rules.
void read_again(results::Record& record);

// The times of both loops of one code with each number of warps, in cycles, and where and for which form they were
// measured.
// If they failed, how: a process was lost, which need not happen again for the next form with this code.
struct Curve {
  LoopTimes times;
  std::string measured_as;
  std::size_t gpu = 0;
};

// The curves of this run, by code: many forms become the same code. Thread-safe.
class MeasuredCurves {
 public:
  // For finding, measuring and keeping one.
  OneAtATime::Turn wait_for(const std::string& key) { return by_key_.wait_for(key); }
  std::optional<Curve> find(const std::string& key);
  void keep(const std::string& key, const Curve& curve);

 private:
  OneAtATime by_key_;
  std::mutex mutex_;
  std::map<std::string, Curve> curves_;
};

}  // namespace ptxlat::machine
