// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::pairs {

// A producer and the first instruction that reads its result, in a window.
//   slot      where the consumer reads it (sass/dataflow.h), "a+b" if in several places
//   distance  the sum of the stall counts from the producer up to the consumer, in cycles
//   waits     the result comes under a scoreboard, so that the distance is a lower bound
//   measured  cycles from issue to issue, if the window's own time shows it
struct ScheduledPair {
  std::string producer, consumer, slot;
  int distance = 0;
  bool waits = false;
  std::optional<double> measured = {};

  bool operator==(const ScheduledPair&) const = default;
};

// The pairs between the clocks of a window, in the order of their consumers. If the window took as long as its stall
// counts say, so did every pair; if it took longer and one pair alone waits, that pair took the difference.
std::vector<ScheduledPair> pairs_of(const results::WindowRecord& window);

// The pairs in the code of a kernel, piece by piece between instructions that may go elsewhere.
std::vector<ScheduledPair> pairs_in_code(const std::vector<results::SassRecord>& code);

// The pairs of all proven windows above -O0, whose schedules are of no interest: there every instruction waits for the
// longest time.
std::vector<ScheduledPair> scheduled_pairs(const std::vector<results::Record>& latency);

}  // namespace ptxlat::pairs
