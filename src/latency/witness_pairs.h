// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::latency {

// The two instructions whose distance ends a differential's window: the last one before the second clock, and the one
// before it that made what it reads: "HFMA2.MMA → LOP3.LUT". Empty if it reads nothing that the window makes.
std::string pair_at_end(const results::WindowRecord& differential);

// The two that join the last two steps of a chain: "HFMA2.MMA → HFMA2.MMA".
//   step  instructions of a step; must be at least 1
// Empty if the window has fewer than two steps, or the last one reads nothing of the one before.
std::string pair_between_steps(const results::WindowRecord& chain, std::size_t step);

}  // namespace ptxlat::latency
