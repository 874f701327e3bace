// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ptxlat::memory {

// The last number that holds, if all numbers up to it do: `inside` is known to hold, and `outside`, beyond it, is known
// not to.
template <class Holds>
std::uint64_t last_that_holds(std::uint64_t inside, std::uint64_t outside, const Holds& holds) {
  while (outside - inside > 1) {
    const std::uint64_t middle = inside + (outside - inside) / 2;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

// The same from 0, which holds, with an upper end found by doubling.
template <class Holds>
std::uint64_t last_that_holds(const Holds& holds) {
  std::uint64_t outside = 1;
  while (holds(outside)) outside *= 2;
  return last_that_holds(outside / 2, outside, holds);
}

}  // namespace ptxlat::memory
