#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "infer/machine.h"
#include "infer/prober.h"
#include "infer/series_models.h"

namespace ptxlat::infer {

// What a line took, the first time and afterwards.
struct FirstAndHot {
  double first = 0, hot = 0;
  // What the first access took more: the same line and SM, so that the distance to its slice cancels out.
  double extra() const { return first - hot; }
};

// The talk with a machine that has an L2: requests of any length, counted, with what all stages of the inference ask.
class L2Talk {
 public:
  static constexpr std::uint64_t most_calls = 20'000, most_accesses = 8'000'000;

  L2Talk(Machine& machine, std::uint64_t seed) : machine_(machine), random_(seed) {}

  const MachineInfo& info() const { return machine_.info(); }
  std::mt19937_64& random() { return random_; }
  bool has(const std::string& with) const;
  std::uint64_t calls() const { return calls_; }
  std::uint64_t accesses() const { return accesses_; }

  // All of these throw TooManyAccesses beyond the limits above.
  void prepare();
  std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm);
  void touch(const std::vector<Addresses>& list, const std::string& with, int sm);

  // The median of `times` accesses in a row, after one that may miss the cache or the translation.
  std::vector<double> hot(const Lines& lines, const std::string& with, int sm, int times = 3);
  // Each line's first access follows one to its neighbourhood, so that it does not miss the translation too.
  std::vector<FirstAndHot> first_and_hot(const Lines& lines, const std::string& with, int sm);
  // An address near another one, at random: the same one each time could come to matter.
  std::uint64_t neighbour(std::uint64_t address);

  // Aligned to `spacing`, which is more than a line.
  Lines random_lines(std::size_t count);
  // The base of so many bytes.
  std::uint64_t random_base(std::uint64_t bytes);
  // Evenly spread over all, `most` at the most.
  std::vector<int> spread_sms(int most) const;

  static constexpr std::uint64_t spacing = 1024;
  // Bytes: how finely is looked around an access, and what a sector is taken for that was not found.
  static constexpr std::uint64_t finest = 16;

 private:
  void count_call();

  Machine& machine_;
  std::mt19937_64 random_;
  std::uint64_t calls_ = 0, accesses_ = 0;
};

}  // namespace ptxlat::infer
