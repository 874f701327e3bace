// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/pair_reasons.h"
#include "results/pair.h"
#include "results/record.h"

namespace ptxlat::machine {

// All pairs in the windows of a latency table and in hazard records, sorted by their names. Of several windows the
// least schedule counts, of several hazards the longest. Every pair of fixed latency has a hazard, or its note says why
// not (machine/pair_reasons.h).
std::vector<results::Pair> pair_rows(const std::vector<results::Record>& latency,
                                     const std::vector<results::Record>& hazards, const Refusals& refusals = {});

// The hazard of each producer with its nearest consumer.
std::map<std::string, double> hazard_of_opcodes(const std::vector<results::Pair>& pairs);

}  // namespace ptxlat::machine
