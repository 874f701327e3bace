// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pairs/scheduled_pairs.h"
#include "results/opcode.h"
#include "results/record.h"

namespace ptxlat::pairs {

// The pairs of a latency table, without its windows, which are far larger.
//   pairs     of its windows, each once (scheduled_pairs)
//   forms     the form that becomes each opcode alone (forms_of_opcodes)
//   arrivals  learned from its windows (learned_arrivals)
//   refusals  why forms have no hazard kernel
struct Schedules {
  std::vector<ScheduledPair> pairs;
  std::vector<results::ArrivalTime> arrivals;
  std::map<std::string, std::string> forms;
  Refusals refusals;
};
Schedules schedules_of(const std::vector<results::Record>& latency, Refusals refusals = {});

// All pairs in the windows of a latency table and in hazard records, sorted by their names. Of several windows the
// least schedule counts, of several hazards the longest. Every pair of fixed latency has a hazard, or its note says why
// not (pairs/scheduled_pairs.h).
std::vector<results::Pair> pair_rows(const Schedules& schedules, const std::vector<results::Record>& hazards);

// Sets which rows are patched, as pair_rows did: the csv, from which they come, does not say it.
void mark_patched(std::vector<results::Pair>& rows, const std::vector<results::Record>& hazards);

// The hazard of each producer with its nearest consumer.
std::map<std::string, double> hazard_of_opcodes(const std::vector<results::Pair>& pairs);

// `scoreboard.release_cycles`: how long after a result would be right without a wait the instruction that waits for its
// scoreboard issues. Measured if nine in ten pairs say the same.
results::Fact release_of_scoreboards(const std::vector<results::Pair>& pairs);

}  // namespace ptxlat::pairs
