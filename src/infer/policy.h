#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptxlat::infer {

// How one set of a cache chooses what to evict. A set begins empty, and fills its ways from the first before it evicts.
// The replacement policies that publications name (Wong et al., section IV; Jaleel et al. 2010 for SRRIP), and for
// those that hardware builds in more than one way, a variant each.
class ReplacementPolicy {
 public:
  virtual ~ReplacementPolicy() = default;
  virtual void hit(std::size_t way) = 0;
  // A line has come into a way, which was empty or its victim.
  virtual void fill(std::size_t way) = 0;
  // The way to be evicted; all are in use.
  virtual std::size_t victim() = 0;
};

//   name     what facts call it, equal for variants: lru, fifo, plru, nru, srrip, insert_below_<k>
//   variant  tells those of one name apart
struct PolicyKind {
  std::string name;
  int variant = 0;
};

// All deterministic policies that a set of so many ways can have, the plainest first: of policies that behave alike,
// the first is the one to be named. plru is a tree, which needs a power of two.
std::vector<PolicyKind> deterministic_policies(std::size_t ways);
std::unique_ptr<ReplacementPolicy> make_policy(const PolicyKind& kind, std::size_t ways);

// One set: which lines it holds.
class CacheSet {
 public:
  CacheSet(std::size_t ways, std::unique_ptr<ReplacementPolicy> policy);
  // Whether the line was there; it is afterwards.
  bool access(std::uint64_t line);
  bool holds(std::uint64_t line) const;

 private:
  std::vector<std::optional<std::uint64_t>> lines_;
  std::unique_ptr<ReplacementPolicy> policy_;
};

}  // namespace ptxlat::infer
