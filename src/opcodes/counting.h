// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "counters/pipe_counters.h"
#include "line/line.h"
#include "opcodes/contention.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::opcodes {

// An opcode whose pipes should be counted.
struct CountingPlan {
  Opcode opcode;
  int level = 3;
  std::string recipe;
};
results::CellKey key_of(const CountingPlan& plan);
// Of the opcodes that are examined.
std::vector<CountingPlan> plan_counting(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                        int level);

// Reads hardware counters around the loop that throughput times, once with copies of the opcode and once with
// instructions that do nothing, or, of what a warpgroup executes, with more and with fewer copies (opcodes/counted.h).
// The line's worker must have opened the counters of the offer, and should serve nothing else. A CUPTI failure is
// thrown as counters::Unavailable; so is the third opcode in a row that ended its process, since then the opcodes are
// not the cause. As ThroughputMethod otherwise.
class CountingMethod : public line::Method {
 public:
  CountingMethod(const ptx::LoadedCatalogue& loaded, const std::vector<CountingPlan>& plan,
                 const counters::Offer& offer)
      : loaded_(loaded), plan_(plan), offer_(offer) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  void read(const worker::CountOutcome& copies, const worker::CountOutcome& base, double executed_copies,
            bool is_for_warpgroups, results::Record& record) const;
  void note_failure(const ptx::LaunchOutcome& outcome, results::Record& record) const;

  const ptx::LoadedCatalogue& loaded_;
  const std::vector<CountingPlan>& plan_;
  const counters::Offer& offer_;
  mutable std::atomic<int> failures_in_a_row_{0};
};

}  // namespace ptxlat::opcodes
