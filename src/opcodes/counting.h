// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "counters/pipe_counters.h"
#include "opcodes/contention.h"
#include "opcodes/experiment.h"
#include "ptx/skeleton.h"
#include "results/opcode.h"
#include "results/record.h"
#include "results/store.h"

namespace ptxlat::opcodes {

// The count per copy of an instruction on each pipe, in the counters' order.
//   problem  why that is unknown; empty if it is known
struct CountedCopy {
  std::vector<double> on_pipes;
  std::string problem;
};

// From the counts of a kernel that executes this many copies, and of the same kernel with as many instructions that do
// nothing: the rest of the kernel is in both. `pipes` are the counters' names, for the problem.
CountedCopy counted_copy(const counters::Counts& copies, const counters::Counts& nothing, double executed_copies,
                         const std::vector<std::string>& pipes);

// From the counts of two loops' kernels, of which the longer executes so many copies more, and nothing else.
CountedCopy counted_difference(const counters::Counts& longer, const counters::Counts& shorter, double more_copies);

// The pipes in a counters record that count its opcode at all, largest share first.
std::vector<results::PipeShare> shares_of(const results::Record& record);

// Notes where the two witnesses disagree: opcodes that contention puts into one pipe although they share no counter, or
// that one pipe counts in full although contention separates them. Each row names one such opcode and how many more
// there are.
void note_disagreements(std::vector<results::Opcode>& rows);

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
// instructions that do nothing, or, of what a warpgroup executes, with more and with fewer copies (opcodes/counting.h).
// The line's worker must have opened the counters of the offer, and should serve nothing else. A CUPTI failure is
// thrown as counters::Unavailable; so is the third opcode in a row that ended its process, since then the opcodes are
// not the cause. As ThroughputMethod otherwise.
class CountingMethod : public Experiment<CountingPlan> {
 public:
  CountingMethod(const ptx::LoadedCatalogue& loaded, const std::vector<CountingPlan>& plan,
                 const counters::Offer& offer)
      : Experiment(loaded, plan), offer_(offer) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  void read(const worker::CountOutcome& copies, const worker::CountOutcome& base, double executed_copies,
            bool is_for_warpgroups, results::Record& record) const;
  void note_failure(const ptx::LaunchOutcome& outcome, results::Record& record) const;

  const counters::Offer& offer_;
  mutable std::atomic<int> failures_in_a_row_{0};
};

}  // namespace ptxlat::opcodes
