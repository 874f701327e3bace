// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "loops/loop.h"
#include "loops/rates.h"
#include "results/record.h"

namespace ptxlat::loops {

// The SM time that one more copy in each warp takes, in cycles, from the times of both loops.
using TimeOfCopy = std::function<double(const Timing& timing)>;

// Puts the curve over warps into the record, how far its launches spread, and its result.
void put_rates(results::Record& record, const std::vector<int>& warps, const LoopTimes& times,
               const TimeOfCopy& time_of_copy);
// The same, and if the launches do not agree on the result, those that decide it are launched as often as it takes, but
// not more than 48 times as often. If that fails, the rates are those of the first launches, and the record is not
// final. Requires a GPU.
void put_settled_rates(results::Record& record, const std::vector<int>& warps, const TimeLoops& time, LoopTimes times,
                       const TimeOfCopy& time_of_copy);

// A throughput is unstable if its bounds, two standard errors below and above, are further apart than this share of it.
// At this limit, two runs differ by 1 % or more in one case of twenty.
inline constexpr double largest_spread = 0.014;

// The result of a record's curve over warps, with the current rules.
void read_again(results::Record& record);

}  // namespace ptxlat::loops
