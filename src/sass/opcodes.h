// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxlat::sass {

// Properties of a machine instruction that its text does not show and the audit must know. All architectures share the
// table (opcodes.cpp), because a name means the same wherever it appears.
enum class Trait : std::uint32_t {
  none = 0,
  // Control flow.
  leaves = 1 << 0,        // control may go somewhere other than the next instruction
  branches = 1 << 1,      // a branch to an address in its text
  calls = 1 << 2,         // a subroutine runs before the next instruction
  bookkeeping = 1 << 3,   // keeps control flow and the lanes of a warp together; computes nothing
  fills = 1 << 4,         // does nothing at all
  code_address = 1 << 5,  // its last operand is an address in the kernel
  // Memory and special registers.
  loads_operand = 1 << 6,  // used by the skeleton to load the operands of the instruction under test
  skeleton = 1 << 7,       // used by the skeleton around a window: global memory, special registers, barriers
  constant = 1 << 8,       // loads from a constant bank
  // Where an operand may come from.
  moves = 1 << 9,              // copies a register or a literal
  provides_operand = 1 << 10,  // its result is a loaded value, part of one, or the same in every run
  makes_constant = 1 << 11,    // the same if it reads no register: ptxas multiplies by zero
  makes_predicate = 1 << 12,   // the skeleton makes predicates and carries with it
  moves_bits = 1 << 13,        // moves operands and results into place, or waits
  // Operands.
  no_result = 1 << 14,          // all operands are sources
  predicate_results = 1 << 15,  // its results are one or two predicates
  packed_predicates = 1 << 16,  // unpacks a register into predicates
  vote = 1 << 17,               // a result is followed by at most one predicate result
  wide_sources = 1 << 18,       // its sources are pairs of registers
  // Time.
  waits =
      1 << 19,  // holds the warp until something else finishes: neither stall counts nor scoreboards say for how long
  // Data memory.
  loads = 1 << 20,   // a register from memory, as wide as its name says
  stores = 1 << 21,  // to memory, likewise; the value is the last operand
  // Operands, continued.
  two_predicates = 1 << 22,  // its result comes after two predicates
  // Time, continued.
  fences = 1 << 23,  // of those that wait: for the warp's own accesses to memory
};

constexpr Trait operator|(Trait x, Trait y) {
  return static_cast<Trait>(static_cast<std::uint32_t>(x) | static_cast<std::uint32_t>(y));
}

// Whether an opcode ("IMAD.MOV.U32") has any of these traits. An opcode that the table does not know has none.
bool has(std::string_view opcode, Trait traits);

// An opcode without its modifiers: "IMAD" of "IMAD.MOV.U32".
inline std::string_view family_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

// Whether it accesses a thread's stack, which is local memory.
inline bool uses_stack(std::string_view opcode) { return family_of(opcode) == "LDL" || family_of(opcode) == "STL"; }

// Whether it reads memory, changes it and returns what was there; and the same without returning anything.
bool is_atomic(std::string_view opcode);
bool is_reduction(std::string_view opcode);
// Whether it stores, or is one of these.
bool changes_memory(std::string_view opcode);

// Its result is a pair of registers. (A quadruple shows as a pair: enough for addresses and doubles.)
bool has_wide_result(std::string_view opcode);

// How many bytes an access moves for a lane: what its modifier says (.U8, .S16, .64, .128), else 4.
int named_bytes(std::string_view opcode);
// The same of a load or a store; 0 for everything else.
int access_bytes(std::string_view opcode);

// Whether both take the same path to memory, in the order of their issue: the later one gets its answer only after the
// earlier one has read its registers. Loads, stores and atomics of data memory take one path, those of surfaces a
// second, copies to shared memory and the end of their group a third.
bool go_one_way(std::string_view one, std::string_view other);

// Runs on the uniform datapath, of which a warp has one; by NVIDIA's naming, every opcode that begins with a U does.
// Moves and constants do not count: ptxas puts values that all lanes share there at will.
bool computes_uniformly(std::string_view opcode);

// Brings an operand into a uniform register, or adds there. Does not include votes and reductions, whose result it is,
// nor opcodes that pack several PTX operands into one machine operand, which ptxas repeats before each instruction.
bool fills_uniform_register(std::string_view opcode);

// It or its source may be a pair of registers.
bool may_have_wide_sources(std::string_view opcode);

// Matrix and texture instructions: their text has the first register of an operand only, and an operand up to four.
bool names_first_registers(std::string_view opcode);

// ".X" and similar modifiers add the condition code. If carries are predicates (Volta), nothing writes it.
bool reads_condition_code(std::string_view opcode);

// Opcodes that do the same on different pipes, chosen by ptxas, have one canonical name: IMAD.IADD and VIADD are IADD3.
std::string canonical_opcode(std::string_view opcode);

// Whether a modifier names the pipe: HFMA2.MMA is not where HFMA2 is.
bool names_pipe(std::string_view opcode);

// The canonical name without a modifier that names the pipe: in a chain HFMA2 and HFMA2.MMA take turns.
std::string operation_of(std::string_view opcode);

}  // namespace ptxlat::sass
