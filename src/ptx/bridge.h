// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

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

}  // namespace ptxlat::ptx
