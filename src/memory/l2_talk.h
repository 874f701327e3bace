// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "memory/machine.h"
#include "memory/prober.h"

// The lines exchanged with a machine in a separate program, or stored in a log (docs/inference.md).

namespace ptxlat::memory {

std::string info_line(const MachineInfo& info);
// Throws std::exception if it does not describe a machine.
MachineInfo info_in(const std::string& line);

inline constexpr std::string_view prepare_request = R"({"prepare": true})";
// {"access": [[0, 128, 4]], "operator": "ca", "sm": 0}
std::string access_request(const std::vector<Addresses>& list, const std::string& with, int sm);

// The same with "touch", whose answer is {}.
std::string touch_request(const std::vector<Addresses>& list, const std::string& with, int sm);

// {"cycles": [4, 4.5]}
std::string cycles_line(const std::vector<double>& cycles);
std::optional<std::vector<double>> cycles_in(std::string_view answer);
// The same, or nothing if they are not as many as the addresses.
std::optional<std::vector<double>> cycles_for(const std::vector<Addresses>& list, std::string_view answer);

// The time for a line, at first and afterwards.
struct FirstAndHot {
  double first = 0, hot = 0;
  // The extra time of the first access: the same line and SM, so that the distance to its slice cancels.
  double extra() const { return first - hot; }
};

// The dialogue with a machine that has an L2: counted requests of any length, and the questions shared by all stages of
// the inference.
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
  // Each line's first access follows one to its neighbourhood, so that it does not also miss the translation.
  std::vector<FirstAndHot> first_and_hot(const Lines& lines, const std::string& with, int sm);
  // A random address near a given one: always using the same one could bias the result.
  std::uint64_t neighbour(std::uint64_t address);

  // Aligned to `spacing`, which is more than a line.
  Lines random_lines(std::size_t count);
  // The base of this many bytes.
  std::uint64_t random_base(std::uint64_t bytes);
  // Evenly spread over all, at most `most`.
  std::vector<int> spread_sms(int most) const;

  static constexpr std::uint64_t spacing = 1024;
  // Bytes: the resolution around an access, and the assumed size of a sector that was not found.
  static constexpr std::uint64_t finest = 16;

 private:
  void count_call();

  Machine& machine_;
  std::mt19937_64 random_;
  std::uint64_t calls_ = 0, accesses_ = 0;
};

}  // namespace ptxlat::memory
