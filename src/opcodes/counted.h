// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "counters/pipe_counters.h"
#include "results/opcode.h"
#include "results/record.h"

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

}  // namespace ptxlat::opcodes
