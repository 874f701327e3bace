// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "latency/numbers.h"
#include "sass/arrivals.h"

namespace ptxlat::latency {

// The headline if results arrive as on a measured card, by the same formula as the schedule's. Empty if stall counts
// say all of it, or if that card does not tell.
std::optional<double> expected_headline(Headline headline, const Numbers& schedule, const sass::Arrivals& arrivals);

// Whether the hardware of a measured card holds back what the windows behind the headline have: their schedule is then
// a lower bound.
bool has_interlock(Headline headline, const Numbers& schedule, const sass::Arrivals& arrivals);

}  // namespace ptxlat::latency
