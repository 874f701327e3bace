// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "line/line.h"
#include "loops/chain_loop.h"
#include "loops/measured_codes.h"
#include "results/record.h"

namespace ptxlat::loops {

// Throughput of a form as a program has it: chains of values side by side in a loop of PTX. What ptxas makes of many
// copies need not be what it makes of one: it spreads sums over two pipes (IADD3 and IMAD.IADD in turn), needs fewer
// moves, or chooses a different instruction beside a loop of copied machine code (loops/copy_loops.h).

// The machine code of a step.
//   opcodes      in the order in which they first appear, with the names that most steps have
//   in_turn      those that a single machine instruction becomes in turn; empty if it is always the same one
//   is_even      the longer loop has each of these in the shares that its further steps have
struct ProgramCode {
  std::vector<std::string> opcodes;
  std::vector<std::string> in_turn;
  bool is_even = true;
};

// The trials of one form: a pair of loops for each type of source that a result can be.
//   instructions  of the form alone, once it is known; the longer loop fits the innermost instruction cache
std::vector<ptx::Trial> program_loop_trials(const ptx::LoadedCatalogue& loaded, const isa::Form& form,
                                            int instructions);
// Adds them to the bench's batch; none if no result can be a source without a further instruction.
std::vector<ChainLoops> add_program_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Form& form,
                                          int instructions, const std::string& label);

// The work of a copy of a proven stream, operation by operation, whatever the pipe and without moves; empty if a copy
// is not a whole number of each, but for one.
std::vector<std::string> work_of_copy(const sass::Window& stream, const sass::Window& stream_twice, int copies);

// What `more` steps became. Nullopt if they do not contain the instruction's work, `alone`, exactly that often: steps
// that ptxas joined, or a part that it moved out of the loop. How many values it moves is its own business.
std::optional<ProgramCode> code_of_program(const sass::Window& shorter, const sass::Window& longer, int more,
                                           const std::vector<std::string>& alone);
// The first of the loops that has such a code.
struct ProgramLoop {
  ChainLoops loops;
  ProgramCode code;
};
std::optional<ProgramLoop> find_program_loop(const line::Bench& bench, const std::vector<ChainLoops>& candidates,
                                             const std::vector<std::string>& alone);

// Puts machine code, verdict and, with a GPU, the curve over warps into the record.
void measure_program_loop(line::Bench& bench, const ProgramLoop& loop, MeasuredCodes& measured,
                          results::Record& record);

}  // namespace ptxlat::loops
