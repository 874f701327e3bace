// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "results/record.h"

namespace ptxlat::tables {

// A record whose latencies lie in two humps (docs/method.md, "Latencies that leave the SM") as two rows: they only
// differ in the numbers of the headline and in `input`, which ends with "near" or "far". Any other record unchanged.
std::vector<results::Record> humps_apart(results::Record record);

}  // namespace ptxlat::tables
