#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "infer/machine.h"

namespace ptxlat::infer {

// An inference has asked for more accesses than it may.
class TooManyAccesses : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Lines = std::vector<std::uint64_t>;  // addresses, one in each line

// Consecutive addresses as few arithmetic progressions.
std::vector<Addresses> in_progressions(const Lines& addresses);

// Asks a machine whether sets of lines fit into one level of it.
//
// The question is laps over the lines: those that fit are all there in the end, whatever the replacement policy, and of
// those that do not at least one must miss in each lap, because not all of them can be there at once. So the answer
// supposes nothing about policy or index.
class Prober {
 public:
  static constexpr std::uint64_t most_accesses = 18'000'000;

  Prober(Machine& machine, std::string with, int sm, std::uint64_t seed);

  const MachineInfo& info() const { return machine_.info(); }
  // Addresses are below this power of two, so that flipping bits does not leave the memory.
  std::uint64_t span() const { return span_; }
  std::mt19937_64& random() { return random_; }

  // Latencies above this miss; found from accesses that must miss and that must hit. False if no such limit exists:
  // first and second accesses take the same time.
  bool find_levels();
  double hit_cycles() const { return hit_; }
  double miss_cycles() const { return miss_; }
  bool is_miss(double cycles) const { return cycles > limit_; }

  void prepare() { machine_.prepare(); }
  std::vector<double> access(const std::vector<Addresses>& list);
  // From cold: which of the accesses missed.
  std::vector<bool> misses_from_cold(const Lines& addresses);
  bool fits(const Lines& lines);
  // As long as laps with misses may follow each other before they count as thrashing. Two, unless the machine places
  // lines badly while there still is room.
  void set_patience(int laps) { patience_ = laps; }
  int patience() const { return patience_; }

  std::uint64_t accesses() const { return accesses_; }

 private:
  Machine& machine_;
  std::string with_;
  int sm_;
  std::uint64_t span_;
  std::mt19937_64 random_;
  double hit_ = 0, miss_ = 0, limit_ = 0;
  int patience_ = 2;
  std::uint64_t accesses_ = 0;
};

}  // namespace ptxlat::infer
