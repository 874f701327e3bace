#pragma once

#include <optional>

#include "infer/prober.h"

namespace ptxlat::infer {

// Lines of which all but any one fit and all do not.
//   lines     of a conflict set: one more than a set has ways; empty if none was found
//   capacity  where lines did not fit that no set was too small for: how many did. Something other than ways is short
struct Conflict {
  Lines lines;
  std::uint64_t capacity = 0;
};

// From lines at strides of `step` and more. No set is taken to have more than `most_ways`.
Conflict find_conflict(Prober& prober, std::uint64_t step, std::size_t most_ways);

}  // namespace ptxlat::infer
