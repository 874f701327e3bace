// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/skeleton.h"
#include "results/opcode.h"
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
