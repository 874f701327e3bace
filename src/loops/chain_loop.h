// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "line/line.h"
#include "loops/loop.h"
#include "loops/measured_codes.h"
#include "ptx/skeleton.h"
#include "results/record.h"
#include "sass/window.h"

namespace ptxlat::loops {

// Two loops of dependent copies that differ in their number of steps (latency/experiment.h), as numbers of the bench's
// trials.
//   copies_of_shorter, copies_of_longer  in the bodies, of all chains together
struct ChainLoops {
  std::size_t shorter = 0, longer = 0;
  int chains = 1;
  int copies_of_shorter = 0, copies_of_longer = 0;
};

// The trials of both loops: as many steps as fill the innermost instruction cache, and a part of those.
std::vector<ptx::Trial> chain_loop_trials(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, int chains,
                                          int threads);
// Adds them to the bench's batch.
ChainLoops add_chain_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                           int chains, int threads, const std::string& label);

// The finding from the machine code of both loops.
//   opcode   what each copy became; empty if the loops do not prove it
//   problem  why they do not
//   assembler_failed  and that is why: another attempt may
struct ChainLoopCode {
  std::string opcode;
  std::string problem;
  bool assembler_failed = false;
};
// Each body has exactly its copies, which are one opcode, and the longer one has nothing more than copies.
ChainLoopCode code_of_loops(const sass::Window& shorter, const sass::Window& longer, int copies_of_shorter,
                            int copies_of_longer);
ChainLoopCode code_of_loops(const line::Bench& bench, const ChainLoops& loops);

// The shorter loop with the first step of its chains only: for evidence.
results::WindowRecord evidence_of(const line::Bench& bench, const ChainLoops& loops, const std::string& opcode);

// Times both loops with each number of warps. Requires a GPU.
LoopTimes time_chain_loops(line::Bench& bench, const ChainLoops& loops, const std::vector<int>& warps);

// Throughput of what four warps do together (wgmma): a program adds to one accumulator in a loop, and so does this.
// The tensor cores overlap one instruction with the next in spite of the dependence.

// The accumulator's dependence; nullopt if the form is not for a warpgroup, or has none.
std::optional<isa::Variant> accumulating_variant(const ptx::LoadedCatalogue& loaded, const isa::Form& form);

// Of the loops' CTA: as many warpgroups as have registers for their accumulators, at most four.
int threads_of_warpgroups(const isa::Form& form);

// Puts what the loops show into the record: machine code, verdict and, with a GPU, the curve over warps.
void measure_warpgroups(line::Bench& bench, const isa::Form& form, const ChainLoops& loops, MeasuredCodes& measured,
                        results::Record& record);

}  // namespace ptxlat::loops
