// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "results/record.h"

namespace ptxlat::series {

// The first axis of a series that was measured several times.
inline constexpr char round_axis[] = "round";

// The series of each round; the series itself if it has no such axis.
std::vector<results::Series> rounds_of(const results::Series& series);

// One fact from what the rounds say about it. It holds only if it comes out in two thirds of them, and something else
// in at most one of nine: a word or a list that is equal, a number within the range that one of them, the middle one,
// expects of a repetition. Then it has the weakest verdict of these; otherwise it is undetermined, and says what came
// out.
results::Fact agreed(const std::vector<results::Fact>& rounds);

}  // namespace ptxlat::series
