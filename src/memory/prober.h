// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory/machine.h"

namespace ptxlat::memory {

// An inference requested more accesses than allowed.
class TooManyAccesses : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Lines = std::vector<std::uint64_t>;  // addresses, one in each line

// Consecutive addresses as a few arithmetic progressions.
std::vector<Addresses> in_progressions(const Lines& addresses);

// Tests whether sets of lines fit into one level of a machine.
//
// The test makes laps over the lines: lines that fit are all present in the end, whatever the replacement policy; if
// they do not fit, at least one must miss in each lap, because they cannot all be present at once. So the answer
// assumes nothing about policy or index.
class Prober {
 public:
  static constexpr std::uint64_t most_accesses = 18'000'000;

  // Accesses are in the machine's usual way, on its first SM.
  Prober(Machine& machine, std::uint64_t seed);

  const MachineInfo& info() const { return machine_.info(); }
  // Addresses are below this power of two, so that flipping bits does not leave the memory.
  std::uint64_t span() const { return background_.empty() ? span_ : span_ / 2; }
  std::mt19937_64& random() { return random_; }

  // The latencies of the levels, lowest first: the clusters of access times over more and more lines. One, if first and
  // later accesses take the same time.
  std::vector<double> find_levels();
  // An access that takes longer than `hit`, and as long as `next`, misses. Clears the background.
  void set_level(double hit, double next);
  // Accessed after each lap: lines above span() that flush the lap's lines from an inner level.
  void set_background(Lines background) { background_ = std::move(background); }
  const Lines& background() const { return background_; }
  bool is_miss(double cycles) const { return cycles > limit_; }

  void prepare();
  // Whether this many more accesses can be made before the next call of prepare.
  bool can_access(std::uint64_t count) const { return since_prepared_ + count <= info().most_accesses; }
  // Whether the inference has used all its accesses.
  bool is_exhausted() const { return accesses_ > most_accesses; }
  // Throws TooManyAccesses if the machine or the inference allows no more, before accessing it.
  std::vector<double> access(const std::vector<Addresses>& list);
  // Each line `times` times in a row, then the background, including its latencies; all of that `laps` times.
  std::vector<double> lap(const Lines& lines, std::uint64_t times = 1, int laps = 1);
  // From cold: which of the accesses missed.
  std::vector<bool> misses_from_cold(const Lines& addresses);
  bool fits(const Lines& lines);
  // How many consecutive laps may have misses before that counts as thrashing. Two, unless the machine places lines
  // badly while there is still room.
  void set_patience(int laps) { patience_ = laps; }
  int patience() const { return patience_; }

 private:
  Machine& machine_;
  std::uint64_t span_;
  std::mt19937_64 random_;
  double limit_ = 0;
  Lines background_;
  int patience_ = 2;
  std::uint64_t accesses_ = 0, since_prepared_ = 0;
};

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
