// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sass/cubin.h"
#include "sass/window.h"

namespace ptxlat::loops {

using Code = std::vector<sass::Instruction>;

// A GPU loads a patched kernel with its whole module, several times for each cell, and a small module loads faster.
// (Kernels that are only read can be in one module, which assemblers make sooner.)
inline constexpr std::size_t kernels_per_module = 8;

// The contents of a saturated kernel's window.
//   codes    the machine code of each instruction under test, in program order
//   places   offsets of the places, in bytes from the start of the kernel, ascending
//   steering the loop's own comparison and branch, changed if the code writes the predicate that ptxas chose
//   end      the second clock
//   problem  why it cannot be used; empty if it can
struct Saturable {
  std::vector<Code> codes;
  std::vector<int> places;
  Code steering;
  sass::Instruction end;
  std::string problem;
};

// The machine code of the instructions under test, and what they need: from the first clock to the branch that is never
// taken, after which the loop begins.
Code code_before_loop(const sass::Window& window);

// Finds the machine code before the loop, of which `wanted` has the opcodes for each instruction under test, and the
// loop's places. ptxas may choose a different pipe here: if an opcode is not there, its operation counts.
Saturable find_saturable(const sass::Window& window, const std::vector<std::vector<std::string>>& wanted, int places);

std::vector<std::string> opcodes_of(const Code& code);

// How many more of each opcode the longer window has; negative if fewer. By their own names and not canonical ones:
// those that ptxas takes in turn are different.
std::map<std::string, int> more_opcodes(const sass::Window& longer, const sass::Window& shorter);

// The different opcodes that a stream's copies are, if each is one machine instruction; empty if not. ptxas spreads
// copies over pipes: every second HADD2 is an HFMA2.MMA that multiplies by 1.
//   copies  more in the longer stream
std::vector<std::string> opcodes_of_copies(const sass::Window& shorter, const sass::Window& longer, int copies);

// One instruction as it appears in a loop of copies. A single instruction follows the previous copy immediately:
// nothing waits, the results of the copies are unused, and it signals when its registers are free: with its result or,
// without one, when it has read them. Several keep ptxas's schedule, because they depend on each other.
std::vector<sass::InstructionWord> copy_of(const Code& code);

// The cubin with words in the kernel's places, in that order; as many as there are places. The second clock waits for
// them: after it the code writes registers that queued copies may not have read yet. Atomics once used the addresses
// that they found there.
std::vector<std::uint8_t> fill_places(const std::vector<std::uint8_t>& cubin, const std::string& kernel,
                                      const Saturable& saturable, const std::vector<sass::InstructionWord>& words);

// Whether pmevent became this instruction.
bool is_place(const sass::Instruction& instruction);

// The second clock as it runs after the words: it waits for what they have in flight.
sass::Instruction end_behind(sass::Instruction end, const std::vector<sass::InstructionWord>& words);

// An instruction that does nothing.
sass::InstructionWord nothing();

// The word of an instruction with other source registers, and those that it has. Volta and later have them in bits 24,
// 32 and 64; an instruction with fewer registers has something else there. RZ is zero_register.
inline constexpr int zero_register = 255;
sass::InstructionWord with_sources(sass::InstructionWord word, const std::vector<int>& registers);
std::vector<int> sources_of(const sass::InstructionWord& word);

// The copy of a single instruction with RZ for every general register. Instructions that read registers of one bank
// wait for each other, and so do results that arrive in one bank in the same cycle, whatever their pipes; RZ is in no
// bank.
sass::InstructionWord copy_without_registers(const sass::Instruction& instruction);

// The window as it runs, with only the first copy of each code: for evidence.
sass::Window with_first_copy(const sass::Window& window, const Saturable& saturable, const std::vector<Code>& turns);

}  // namespace ptxlat::loops
