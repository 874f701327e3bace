// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ptx/kernel_builder.h"

namespace ptxlat::ptx {

// How a value of one type becomes a source operand of a different type without arithmetic that the compiler could merge
// with the instruction under test: its bits are used unchanged, halves are extracted or added, predicates are selected
// and compared.
//   is_none   the register itself can be read: nothing is needed
//   is_free   no machine instruction is expected (register pairs)
//   text      PTX with the holes {from} and {to}
//   zero      registers with a zero that the compiler does not know
//   needs_base  the text reads %base, a copy of the address that {to} begins with
struct Bridge {
  bool is_none = false;
  bool is_free = false;
  std::string text;
  std::vector<std::pair<std::string, std::string>> scratch;  // register name, type
  std::vector<std::pair<std::string, std::string>> opaque;   // loaded registers: name, type
  std::vector<std::pair<std::string, std::string>> zero;
  bool needs_base = false;
};

// sets_carry: the instruction that makes the value also sets CC.CF, which then needs no bridge.
Bridge bridge_between(const std::string& from_type, const std::string& to_type, bool sets_carry);

// How an address is made to depend on a value: zero, computed from the value so that the compiler cannot tell, is added
// to the address. `address_type` is b32 or b64.
Bridge address_bridge(const std::string& from_type, const std::string& address_type);

// Stores of registers after the second clock, at an offset of the lane's slot, so that the compiler does not delete the
// code that made them (ptx_templates/skeletons/frame.ptx).
inline constexpr int place_of_results = 32;
std::string store_live(const std::vector<std::string>& registers, const std::string& type, int at = place_of_results);

// The same after the branch of a stream, where the registers are kept on both sides.
//   has_room  for storing several registers of a wide vector at a time
std::string store_live_both_sides(const std::vector<std::string>& registers, const std::string& type, bool has_room,
                                  int at = place_of_results);

// Keeps the catalogue's scratch registers that are named in its `text`.
std::string store_live_scratch(const std::string& text);

// Copies of an instruction in a loop would be moved out of it, or left out in all rounds but the last, if their sources
// did not change and their results were not needed. So zero, computed from a result so that ptxas cannot tell, is
// combined with a source: the values stay the same, and it costs one LOP3.
//   first, second  different operations, so that ptxas does not join them
enum class Feedback { first, second };

// Declares what feedback_text needs, and loads the zeros. Before the window.
void prepare_feedback(KernelBuilder& builder);

// From the result in register `from` to the source in register `to`. Of a wide one, its lower 32 bits take part.
std::string feedback_text(const std::string& from, const std::string& from_type, const std::string& to,
                          const std::string& to_type, Feedback which);

}  // namespace ptxlat::ptx
