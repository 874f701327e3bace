// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "isa/catalogue.h"
#include "line/line.h"
#include "loops/loop.h"
#include "loops/measured_codes.h"
#include "loops/patch.h"
#include "results/record.h"
#include "sass/dataflow.h"

namespace ptxlat::loops {

// Registers of some code.
//   needed  read before the code itself has written them
struct Registers {
  std::set<sass::Register> needed, written;
};
Registers registers_of(const Code& code);

bool have_common(const std::set<sass::Register>& some, const std::set<sass::Register>& others);

// The code with these opcodes, taken out of what comes before a loop; empty if it is not there. Code of one instruction
// is recognised by its opcode, or else by its operation. Code of several, whose order depends on the free registers, is
// all that is there, or all without its preparations (below).
Code take_code(Code& before_loop, const std::vector<std::string>& opcodes);

// The code without what brings an operand into a uniform register, such as the policy of a cache: that is done once,
// and stays before the loop. So does what does nothing. Empty if it needs something of the code.
Code without_preparations(const Code& before_loop);

// If all the code does to an address is to move it, the access takes it from where it was: ldmatrix is MOV R8, R13;
// LDSM R8, [R8].
void take_unmoved_address(Code& code);

// Whether an access could go to a wrong address, because a copy writes a register too early for the one before it: one
// that a load has yet to write (MOV R9; LD R9, [R8]), or one that a store has yet to read and that holds different
// values on the way (MOV R8; IADD3 R8, R8; ST [R8]). A wrong value elsewhere does not matter.
bool overtakes(const Code& code);

// Copies of the same instruction in a body: as many as fill it, and a part of those. The body fits the innermost
// instruction cache: above about 4 KB warps drift apart.
struct Copies {
  int shorter = 0, longer = 0;
};
// For code of this many instructions; none if two copies do not fit.
Copies copies_of(std::size_t instructions);

// The numbers of warps at which schedulers differ.
std::vector<int> warps_of_curves();

// Two kernels whose loops have places for these copies, and the code to copy.
struct CopyLoops {
  Fillable shorter, longer;
};

// Whether the code's accesses leave the SM, whatever is in its cache: it stores, has an atomic or a fence, or loads
// what is the same for all SMs (.STRONG).
bool leaves_the_sm(const std::vector<std::string>& opcodes);
// What leaves it rarely agrees on one rate of an SM, however often it is launched.
Settling settling_of(const std::vector<std::string>& opcodes);

// The codes of a loop that take turns, by number: each kernel has its own registers.
std::vector<Code> codes_of(const Fillable& fillable, const std::vector<std::size_t>& turns);
// So many copies of codes in turn.
std::vector<sass::InstructionWord> words_of(const std::vector<Code>& turns, int copies);

bool are_assembled(const CopyLoops& loops);
// Why the two loops cannot be compared; empty if they can.
std::string why_not_comparable(const CopyLoops& loops);
// Whether that is because an assembler failed: another attempt may give two that can.
bool assembler_failed(const CopyLoops& loops);

// Shows codes in turn in the record, and measures them unless the same code has been measured.
//   turns  which of the loops' codes
void measure_copies(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                    const CopyLoops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
                    MeasuredCodes& measured, results::Record& record);

}  // namespace ptxlat::loops
