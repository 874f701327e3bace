// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/prober.h"

namespace ptxlat::memory {

// How one set of a cache chooses what to evict. A set begins empty, and fills its ways from the first before it evicts.
// The replacement policies from publications (Wong et al., section IV; Jaleel et al. 2010 for SRRIP), with a variant
// for each way in which hardware implements them.
class ReplacementPolicy {
 public:
  virtual ~ReplacementPolicy() = default;
  virtual void hit(std::size_t way) = 0;
  // A line was placed in a way, which was empty or its victim.
  virtual void fill(std::size_t way) = 0;
  // The way to evict; all are in use.
  virtual std::size_t victim() = 0;
};

//   name     its name in facts, equal for variants: lru, fifo, plru, nru, srrip, insert_below_<k>
//   variant  distinguishes those with the same name
struct PolicyKind {
  std::string name;
  int variant = 0;
};

// All deterministic policies that a set of this many ways can have, the simplest first: among policies that behave
// identically, the first is named. plru is a tree, which needs a power of two.
std::vector<PolicyKind> deterministic_policies(std::size_t ways);
std::unique_ptr<ReplacementPolicy> make_policy(const PolicyKind& kind, std::size_t ways);

// The lines in one set.
class CacheSet {
 public:
  CacheSet(std::size_t ways, std::unique_ptr<ReplacementPolicy> policy);
  // Whether the line was present; it is afterwards.
  bool access(std::uint64_t line);
  bool holds(std::uint64_t line) const;

 private:
  std::vector<std::optional<std::uint64_t>> lines_;
  std::unique_ptr<ReplacementPolicy> policy_;
};

//   name     a policy's, or "random" if equal accesses do not have equal outcomes; empty if no known policy predicts
//            the observations
//   strings  how many random strings of accesses it predicted without error, none of them used to choose it
//   victims  for a random policy: how often each way was evicted, in the order in which an empty set fills
struct FoundPolicy {
  std::string name;
  int strings = 0;
  std::vector<double> victims;
};

// `lines` are of one set with this many ways, and outnumber them.
FoundPolicy find_policy(Prober& prober, const Lines& lines, std::size_t ways);

}  // namespace ptxlat::memory
