// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sass/cubin.h"

namespace ptxlat::sass {

// The machine code from the first clock read to the second, including both, in program order, and everything before and
// after it. On sm_60 a read into RZ precedes each clock read; the one before the second is the window's last
// instruction.
//   registers  of a thread of its kernel; 0: not known
struct Window {
  std::vector<Instruction> prologue;
  std::vector<Instruction> instructions;
  std::vector<Instruction> epilogue;
  CodeLayout layout = CodeLayout::volta;
  int registers = 0;
};

// Finds the first and the last clock read of a kernel, which keep their order. Empty, with the reason in `why`, if
// there are not as many as its PTX has, or if the two are different instructions and so sample at different points of
// the pipeline (method.md, trap 1).
//   reads  2, and those of the instruction under test
std::optional<Window> find_window(const KernelCode& kernel, std::string& why, int reads = 2);

// The whole kernel as its window, for kernels that read no clock or many of them.
Window whole_window(const KernelCode& kernel);

// A window's length by its schedule.
//   cycles           sum of the stall counts from the first clock read up to, but not including, the second
//   is_lower_bound   something waits, and stall counts do not say how long: on a scoreboard that was set inside, at an
//                    instruction whose purpose is to wait (DEPBAR, BAR, a fence), or after a stall count of 0, with
//                    which -O0 leaves the wait to the hardware (before Volta, a 0 issues two instructions together)
//   branches         control may leave the straight line, of which `cycles` is the sum
//   edge_cycles      the skeleton's part: the stalls of the first clock read and of the last instruction
//   last_edge_cycles the last instruction's
//   waits_for_last   the second clock waits for the last instruction, whose stall then does not say when it issues
struct StaticSchedule {
  int cycles = 0;
  bool is_lower_bound = false;
  bool branches = false;
  int edge_cycles = 0;
  int last_edge_cycles = 0;
  bool waits_for_last = false;
};
StaticSchedule static_schedule(const Window& window);

// -O0 gives every instruction the longest stall or, from CUDA 13.5 on, leaves every wait to the hardware.
bool is_unoptimised(const Window& window);

// How many moves are between the clocks.
int moves_in(const Window& window);

// The stall count of an instruction right before another one of the same opcode; the least, if there are several. Empty
// if no two are next to each other.
std::optional<int> spacing_of(std::string_view opcode, const Window& window);

// Whether neither stall counts nor scoreboards say how long an instruction holds up the next: its purpose is to wait,
// or the hardware alone does, after a stall count of 0.
bool waits_unseen(const Instruction& instruction, CodeLayout layout);

// The scoreboards (as a mask) that may still be held when the first clock read of the last pass issues: by the code
// before it in the loop, or by the pass before. What was set before the loop is over by then.
int pending_scoreboards(const Window& window);

// How many instructions between the clocks make a result under a scoreboard that nothing waits for, not even the second
// clock read.
int unawaited_results(const Window& window);

// The scoreboards that an instruction sets, as a mask.
int scoreboards_set(const ControlWord& control);

}  // namespace ptxlat::sass
