// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "latency/numbers.h"
#include "results/measure.h"

namespace ptxlat::latency {

// Which time a headline is, and what waited: the name of the catalogue's consumer, results::itself, or the PTX opcode
// of the completion. Empty if there is no headline, or nothing waits.
struct Observed {
  std::optional<results::Measure> measure;
  std::string consumer;
};
Observed observed(const isa::Variant& variant, Headline headline, const Numbers& numbers);

}  // namespace ptxlat::latency
