// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/skeleton.h"
#include "results/pair.h"
#include "results/record.h"

namespace ptxlat::pairs {

// Why forms have no hazard kernel, by their spelling; forms that have one are not here.
using Refusals = std::map<std::string, std::string>;
Refusals refusals_of(const ptx::LoadedCatalogue& loaded);

// The form that becomes each opcode alone: of several, one that is not refused, then the shortest.
std::map<std::string, std::string> forms_of_opcodes(const std::vector<results::Record>& latency,
                                                    const Refusals& refusals);

// Adds to each read that has neither a hazard nor a note the reason, and which hazards its producer
// has elsewhere: with the same consumer, with any, or as another opcode of its family.
//   forms     as forms_of_opcodes has them; may be empty, as may `refusals`
void explain_missing_hazards(std::vector<results::Pair>& pairs, const std::map<std::string, std::string>& forms,
                             const Refusals& refusals);

// For an opcode's `note`: why it has no hazard although something reads its result, or why its hazard is not its
// latency. Empty if there is nothing to say.
std::string hazard_note(const std::string& opcode, std::optional<double> latency,
                        const std::vector<results::Pair>& pairs);

}  // namespace ptxlat::pairs
