// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "memory/l2_home.h"

namespace ptxlat::memory {

// Lines `index` × line_bytes above base, for index below count.
struct Pool {
  std::uint64_t base = 0, line_bytes = 0, count = 0;
  std::uint64_t at(std::uint64_t index) const { return base + index * line_bytes; }
};

// Tests whether laps over different lines evict a target line.
//
// The target is not accessed during the laps. While it is present, an overfull set has a miss in each lap, and once it
// is evicted it stays away: so with enough laps the answer is whether the others fill the set, for all policies that
// eventually evict every line. Single-touch eviction sets fail if lines that were hit are protected.
class Eviction {
 public:
  Eviction(L2Talk& talk, const L2Costs& costs, std::uint64_t target);

  std::uint64_t target() const { return target_; }
  // Laps over the first `prefix` lines of the pool and the members.
  bool evicts(const Pool& pool, std::uint64_t prefix, const Lines& members);
  bool evicts(const Lines& members) { return evicts({}, 0, members); }
  // The majority of three or more `votes`.
  bool usually_evicts(const Lines& members, int votes = 3);
  // The last line of the shortest prefix, up to `most`, that evicts; nothing if the whole pool does not.
  std::optional<std::uint64_t> last_needed(const Pool& pool, std::uint64_t most, const Lines& members);
  // A minimal set of lines, all needed to evict the target; empty if there is none.
  Lines minimal_set(const Pool& pool);

 private:
  bool evicts_once(const Pool& pool, std::uint64_t prefix, const Lines& members);

  L2Talk& talk_;
  const L2Costs& costs_;
  std::uint64_t target_;
  double hot_;
  bool is_there_ = false;  // the previous question ended with hits on the target
};

// The cache's capacity, from the lines that it still has after laps over more and more bytes. Beyond the capacity,
// whatever is evicted, the cache has its capacity: so the remaining share times the bytes does not depend on the bytes.
// No knee has to be found.
struct Capacity {
  double near_bytes = 0;  // what one SM can keep near: 0 if not found
  std::uint64_t line_bytes = 0;
  std::vector<results::Fact> facts;  // l2.near_capacity, l2.total_capacity, l2.line_bytes
};
// `sector_bytes` is the stride at which laps touch everything.
Capacity find_capacity(L2Talk& talk, const Homes& homes, const L2Costs& costs, std::uint64_t sector_bytes);

}  // namespace ptxlat::memory
