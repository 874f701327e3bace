// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ptx/skeleton.h"
#include "results/pair.h"
#include "results/record.h"

namespace ptxlat::machine {

// Why forms have no hazard kernel, by their spelling; forms that have one are not here.
using Refusals = std::map<std::string, std::string>;
Refusals refusals_of(const ptx::LoadedCatalogue& loaded);

// Adds to each pair of fixed latency that has neither a hazard nor a note the reason, and which hazards its producer
// has elsewhere: with the same consumer, with any, or as another opcode of its family.
//   latency   the table's records; may be empty
//   refusals  may be empty
void explain_missing_hazards(std::vector<results::Pair>& pairs, const std::vector<results::Record>& latency,
                             const Refusals& refusals);

// Why opcodes of fixed latency have no hazard, or one that is not their latency, by opcode: sentences for `note`.
std::map<std::string, std::string> hazard_notes_of_opcodes(const std::vector<results::Pair>& pairs);

}  // namespace ptxlat::machine
