#pragma once

#include <optional>

#include "infer/prober.h"

namespace ptxlat::infer {

// Lines of which all but any one fit and all do not: one more than a set has ways.
//   most        a set of more lines than this is not one set's: something other than the ways is short
// Empty if all of the memory fits, or no set that small was found.
std::optional<Lines> find_conflict_set(Prober& prober, std::uint64_t step, std::size_t most);

// The same from lines that do not fit.
std::optional<Lines> smallest_conflict(Prober& prober, Lines lines, std::size_t most);

}  // namespace ptxlat::infer
