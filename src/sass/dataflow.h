// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sass/window.h"

namespace ptxlat::sass {

// R0…, P0…, UR0…, UP0…, and Maxwell's condition code, of which there is one (R4.CC; read by IADD.X).
enum class RegisterFile { general, predicate, uniform, uniform_predicate, condition_code };

struct Register {
  RegisterFile file = RegisterFile::general;
  int number = 0;
  auto operator<=>(const Register&) const = default;
};

// Holds conditions, including the carry of the condition code.
constexpr bool is_predicate(RegisterFile file) {
  return file == RegisterFile::predicate || file == RegisterFile::uniform_predicate ||
         file == RegisterFile::condition_code;
}

// Which registers an instruction reads and writes, from its disassembly. RZ, PT, URZ and UPT hold constants and never
// appear. `may_read` has the upper halves of registers that may be 64-bit operands: with them a slice can only be too
// large, never too small.
struct RegisterUse {
  std::vector<Register> reads;
  std::vector<Register> may_read;
  std::vector<Register> writes;
  bool is_predicated = false;  // it may leave its destination unchanged
};
RegisterUse register_use(std::string_view text);

// The place where an instruction reads a register: "guard"; "carry" or "predicate" for a condition; else the letter of
// the source operand, from "a", conditions not counted. Empty if it does not read it.
std::string slot_of(std::string_view text, const Register& reg);

// Whether the register is part of an address, or of its descriptor.
bool is_in_address(std::string_view text, const Register& reg);

// Where the values that instructions of the window make are stored after it: the offsets of the stores, as the texts of
// the window's instructions have them. One entry for each of window.instructions, empty for a value that is not stored.
using StorePlaces = std::set<std::string_view>;
std::vector<StorePlaces> store_places(const Window& window);

// Which instructions of the window make a value that is stored after it: the last to write a register that the epilogue
// stores, or makes a stored value from. Two instructions make the halves of a 64-bit result. Addresses and loop control
// belong to the skeleton. live[i] is about window.instructions[i].
std::vector<bool> live_results(const Window& window);

// Which instructions of the window the values that leave it depend on: the backward slice from the last instruction
// before the second clock read and from `roots`, one for each of window.instructions. It does not include the clock
// reads themselves.
std::vector<bool> backward_slice(const Window& window, const std::vector<bool>& roots);

// Which instructions do nothing but copy the first clock reading around (at -O0 it goes through MOVs).
std::vector<bool> clock_copies(const Window& window);

}  // namespace ptxlat::sass
