// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory/prober.h"
#include "memory/set_index.h"

namespace ptxlat::memory {

// Sets that hold a number of lines each: of tags, or of the parts of a data array.
//   sizes  of sets that do not hold `ways`
struct SetLimit {
  SetIndex index;
  std::size_t ways = 0;
  std::map<std::uint64_t, std::size_t> sizes;

  std::size_t size_of(std::uint64_t set) const;
  std::uint64_t lines() const;
};

// What limits the lines that are present together: they fit if no limit is exceeded.
//   most_lines  of all of them; 0: as many as the limits allow
struct Structure {
  std::vector<SetLimit> limits;
  std::uint64_t most_lines = 0;
};

// Lines that are present together, counted by the sets of a structure, which outlives it.
class Occupancy {
 public:
  explicit Occupancy(const Structure& structure) : structure_(structure), counts_(structure.limits.size()) {}
  // Adds a line, unless it exceeds a limit.
  bool add(std::uint64_t line);
  std::uint64_t lines() const { return lines_; }

 private:
  const Structure& structure_;
  std::vector<std::map<std::uint64_t, std::size_t>> counts_;
  std::uint64_t lines_ = 0;
};

// How many of the lines, from the first on, fit.
std::size_t longest_that_fits(const Structure& structure, const Lines& lines);

// The first lines below the span that fill the structure, in the order of their addresses.
Lines lines_that_fill(const Structure& structure, std::uint64_t line_bytes, std::uint64_t span);

// Lines for which the machine and a structure disagree.
//   lines  that should fit, but do not; empty, if more fit than should
struct Disagreement {
  std::string what;
  Lines lines;
};

// Tests a structure on lines that it was not inferred from: at strides that are odd multiples of half a line or of
// sectors, and at random. A line of 0 bytes is not known: then only random lines are tested.
std::optional<Disagreement> find_disagreement(Prober& prober, const Structure& structure, std::uint64_t line_bytes,
                                              std::uint64_t sector_bytes);

}  // namespace ptxlat::memory
