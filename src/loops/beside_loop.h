// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "latency/audits.h"
#include "latency/experiment.h"
#include "line/line.h"
#include "sass/window.h"

namespace ptxlat::loops {

// The machine code of an instruction under test in a saturated kernel. It is asked for where a stream does not show it:
// ptxas takes the copies out of the window, packs two of 16 bits into one instruction, or makes different code of them
// beside a loop.
//   one, two  trials of saturated kernels with one and two instructions under test
struct BesideLoopTrials {
  latency::Experiment differential;
  latency::TrialNumbers of_differential;
  std::size_t one = 0, two = 0;
};

// Adds them to the bench's batch.
BesideLoopTrials add_beside_loop(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                                 const std::string& label);

// The opcodes that the differential proves, once the trials are assembled; empty if it does not.
std::vector<std::string> code_of_differential(const line::Bench& bench, const isa::Catalogue& catalogue,
                                              const isa::Variant& variant, const BesideLoopTrials& trials);
// The opcodes to copy, as find_saturable takes them; empty if nothing proves them.
std::vector<std::vector<std::string>> code_beside_loop(const line::Bench& bench, const BesideLoopTrials& trials,
                                                       const std::vector<std::string>& of_differential);

// The same from windows. There are two proofs:
// - Before the loop of `two` there is so much more code. What it shares with `one` is beside a single instruction, such
//   as one that prepares a texture's handle; of several, none is a move, which could be for the kernel's own sake. Two
//   single instructions if ptxas takes two opcodes of one operation in turn.
// - Before the loop of `one` there is the code that a differential proves, and nothing else.
// If neither proves it, the first is tried again without what brings an operand into a uniform register: ptxas does
// that for each instruction or once for both.
std::vector<std::vector<std::string>> code_beside_loop(const sass::Window& one, const sass::Window& two,
                                                       const std::vector<std::string>& of_differential);

// For code that neither of these proves, and no loop of PTX either: the code of `one` with its moves, if `two` has
// every instruction that is not a move twice, and at least as many moves. ptxas chooses how many: of max.f64, five for
// one, nine for two and three in a window.
std::vector<std::vector<std::string>> code_with_moves(const line::Bench& bench, const BesideLoopTrials& trials);
std::vector<std::vector<std::string>> code_with_moves(const sass::Window& one, const sass::Window& two);

}  // namespace ptxlat::loops
