// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "snippet/flow.h"

namespace ptxlat::snippet {

// The values that some instructions of a snippet need before they start, so that their addresses are valid.
//   pointers  value → the catalogue's object that its register is: "global", "shared_b32", or "global_pointers", memory
//             that holds its own addresses
//   bytes     of the access through each pointer, which is also the distance between lanes
//   reach     the smallest and largest number that an access adds to each pointer, in bytes
//   offsets   values that are added to a pointer or used as an index: zero, but the compiler does not know that
struct Addresses {
  std::map<std::size_t, std::string> pointers;
  std::map<std::size_t, int> bytes;
  struct Reach {
    std::int64_t least = 0, most = 0;
  };
  std::map<std::size_t, Reach> reach;
  std::set<std::size_t> offsets;
};

// Follows each address back through the instructions that compute it (sums, products, conversions, loads) to its
// origin. Throws Error{usage} if no value can be the pointer.
Addresses addresses_in(const Snippet& snippet, const std::vector<std::size_t>& instructions,
                       const isa::Catalogue& catalogue);

// Bytes that the instruction moves for a lane.
int bytes_moved(const Instruction& instruction);

}  // namespace ptxlat::snippet
