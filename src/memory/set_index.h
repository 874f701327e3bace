// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "memory/prober.h"

namespace ptxlat::memory {

// The set of a line, up to renaming of sets.
//   sets      how many
//   columns   empty: line number modulo `sets`. Else the set's number is the exclusive or of the columns of the bits
//             that are set in the line's number, in reduced echelon form: column i is the i-th new unit vector or a
//             combination of those before it
struct SetIndex {
  std::uint64_t line_bytes = 0;
  std::uint64_t sets = 1;
  std::vector<std::uint64_t> columns;

  std::uint64_t set_of(std::uint64_t address) const;
  // The columns that are not the next unit vector: how further bits are mixed in.
  std::vector<std::uint64_t> other_columns() const;
  // Lines of set `set`, the first `count` of them in the order of their addresses below `span`.
  Lines lines_of(std::uint64_t set, std::size_t count, std::uint64_t span) const;
  // The same from `half` on, a power of two and half of the memory in which the index was found.
  Lines lines_above(std::uint64_t set, std::size_t count, std::uint64_t half) const;
};

// The bytes around an address that belong to its line. `full` are as many lines as their set has ways, including the
// address's line.
struct Extent {
  std::uint64_t begin = 0, end = 0;
};
Extent extent_of_line(Prober& prober, const Lines& full, const Lines& conflict, std::uint64_t address);

struct Structure;

// From the lines that fill one set. Empty if neither a modulus nor a linear hash predicts new lines. `known` is what
// else limits the lines that are present together.
std::optional<SetIndex> find_set_index(Prober& prober, const Lines& full, std::uint64_t line_bytes,
                                       const Structure& known);

}  // namespace ptxlat::memory
