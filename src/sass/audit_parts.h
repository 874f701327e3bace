// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sass/audit.h"

// Shared by the audits of single windows (audit.cpp) and of chains and streams (audit_repeats.cpp).

namespace ptxlat::sass {

// "0460 R2UR UR4, R12"
std::string describe(const Instruction& instruction);

// Checks that hold for every window: it waits for nothing from before, and all loads and preparations of operands are
// before it.
Audit audit_loads_and_waits(const Window& window, const Expectation& expected);

// The same, plus those for a window whose result leaves it.
//   roots  what leaves it, in addition to its last instruction (dataflow.h)
Audit audit_flow(const Window& window, const Expectation& expected, const std::vector<bool>& roots);

// The opcodes of a window whose result leaves it, as above, that were computed before the first clock.
std::vector<std::string> hoisted_opcodes(const Window& window, const Expectation& expected,
                                         const std::vector<bool>& roots);

// The instructions between the clocks that only prepare an operand from values that were available before the first
// clock: they bring them into a uniform register, add there, or read a part of an address. They could be before the
// window, as in a real kernel's loop. What comes from literals alone belongs to the instruction, because the literals
// do, and so does a register next to one. So does what is made from results inside the window.
std::vector<const Instruction*> hoistable_preparations(const Window& window);

// The consumer must be the same machine instruction with and without the one under test. If it took over a part of that
// (a negation, a comparison as its guard), the window measures something else.
//   is_consumer  which instructions of the window it is; matched from the end, where it stands
//   changed      the first of it that the window does not have; empty if none
struct FoundConsumer {
  std::vector<bool> is_consumer;
  std::string changed;
};
FoundConsumer find_consumer(const Window& window, const Window& base);

// Removes `part` from `whole`, matching from the end, where the consumer stands. Returns the canonical names that were
// not found.
std::vector<std::string> remove_from_end(std::vector<std::string>& whole, const std::vector<std::string>& part);

// A stall count is at most 15: after an instruction that takes longer ptxas puts a NOP.
bool is_filler(const std::string& opcode);

// How often each opcode occurs, without moves: whether a value needs one depends on the registers that ptxas happened
// to choose.
std::map<std::string, int> opcode_counts(const std::vector<std::string>& opcodes_of_steps);

}  // namespace ptxlat::sass
