// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/policy.h"
#include "memory/prober.h"
#include "memory/set_index.h"
#include "memory/structure.h"
#include "results/record.h"

namespace ptxlat::memory {

// One level of a memory. Values that are 0, empty or absent were not found, for `reason`.
//   index, ways  of the tags
//   data         how lines share the data array, if not as the tags do
//   is_tested    lines that the structure was not inferred from came out as it predicts
struct Level {
  double cycles = 0;       // of an access that hits it
  double next_cycles = 0;  // of one that misses
  std::uint64_t sector_bytes = 0;
  std::uint64_t line_bytes = 0;
  std::size_t ways = 0;  // of most sets
  std::optional<SetIndex> index;
  std::vector<std::size_t> set_sizes;  // if sets differ, largest first
  std::optional<SetLimit> data;
  std::uint64_t fit_lines = 0;
  bool is_tested = false;
  FoundPolicy policy;
  std::string reason;
};

// The levels of a machine, innermost first, at most `most`. The last latency is that of the memory after the last
// level. Only throws what the machine throws: a level that needs too many accesses has no numbers.
std::vector<Level> infer_levels(Prober& prober, std::size_t most);

// How a level chooses what to evict, as a fact.
results::Fact policy_fact(const std::string& quantity, const Level& level);

}  // namespace ptxlat::memory
