// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "machine/loop.h"
#include "results/record.h"

namespace ptxlat::machine {

// Puts the curve into the record, and its result.
//   cycles  of the SM for one more instruction in each warp, with each number of warps
void put_rates(results::Record& record, const std::vector<int>& warps, const std::vector<double>& cycles);

// The result of a record's curve over warps, with the current rules.
void read_again(results::Record& record);

// The times of both loops of one code with each number of warps, in cycles, and the form for which they were measured.
// If they failed, how: a process was lost, which need not happen again for the next form with this code.
struct Curve {
  LoopTimes times;
  std::string measured_as;
};

// The curves of this run, by code: many forms become the same code. Thread-safe.
class MeasuredCurves {
 public:
  std::optional<Curve> find(const std::string& key);
  void keep(const std::string& key, const Curve& curve);

 private:
  std::mutex mutex_;
  std::map<std::string, Curve> curves_;
};

}  // namespace ptxlat::machine
