#pragma once

#include <string>
#include <vector>

#include "counters/pipe_counters.h"
#include "results/opcode.h"
#include "results/record.h"

namespace ptxlat::machine {

// What each copy of an instruction counts as on each pipe, in the counters' order.
//   problem  why that cannot be said; empty if it can
struct CountedCopy {
  std::vector<double> on_pipes;
  std::string problem;
};

// From the counts of a kernel that executes so many copies, and of the same kernel with as many instructions that do
// nothing: what the kernel does besides is in both. `pipes` are the counters' names, for the problem.
CountedCopy counted_copy(const counters::Counts& copies, const counters::Counts& nothing, double executed_copies,
                         const std::vector<std::string>& pipes);

// The pipes of a record of counters that count its opcode at all, the greatest share first.
std::vector<results::PipeShare> shares_of(const results::Record& record);

// Notes where the two witnesses disagree: opcodes that contention puts into one pipe and that no counter has in common,
// or that one pipe counts in full and contention keeps apart. Each row names one such opcode and how many more there
// are.
void note_disagreements(std::vector<results::Opcode>& rows);

}  // namespace ptxlat::machine
