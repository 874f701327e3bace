// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "memory/level.h"
#include "memory/prober.h"
#include "memory/structure.h"

namespace ptxlat::memory {

// Lines above the span that flush a level; none of them in set `avoided` of the next level. There are more than the
// level holds, so that they themselves miss it in each lap: otherwise the next level would only see them in some laps,
// and results there would depend on which.
Lines cover_of(const Level& level, std::uint64_t half, const SetIndex* behind = nullptr, std::uint64_t avoided = 0);

// How many lines of a set fit, which are about so many.
std::size_t ways_of(Prober& prober, const SetIndex& index, std::uint64_t set, std::size_t about);

// What an index limits, by the number of lines that its sets hold. Sets that differ must all have been filled.
struct FoundLimit {
  SetLimit limit;
  bool is_known = false;
};
// `inner` is the level before this one, if there is one.
FoundLimit limit_of(Prober& prober, const SetIndex& index, std::size_t about, const Level* inner);

// How many of the lines, which should fill the level, fit.
std::uint64_t measured_capacity(Prober& prober, const Lines& lines);

// How many lines of all sets fit together; 0 if the memory is too small to fill them.
std::uint64_t capacity_of(Prober& prober, const SetLimit& limit, const Level* inner);

}  // namespace ptxlat::memory
