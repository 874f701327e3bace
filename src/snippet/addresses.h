// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "snippet/flow.h"

namespace ptxlat::snippet {

// What the values must be that some instructions of a snippet find ready, so that their addresses are good ones.
//   pointers  value → the object that its register is, as the catalogue has them: "global", "shared_b32", or
//             "global_pointers", memory that holds addresses of itself
//   bytes     of the access that each pointer is for: lanes are so far apart
//   offsets   values that are added to a pointer or index from it: zero, which no compiler knows
struct Addresses {
  std::map<std::size_t, std::string> pointers;
  std::map<std::size_t, int> bytes;
  std::set<std::size_t> offsets;
};

// Follows each address back through the instructions that make it (sums, products, conversions, loads) to where it
// comes from. Throws Error{usage} where no value can be the pointer.
Addresses addresses_in(const Snippet& snippet, const std::vector<std::size_t>& instructions,
                       const isa::Catalogue& catalogue);

// Bytes that the instruction moves for a lane.
int bytes_moved(const Instruction& instruction);

}  // namespace ptxlat::snippet
