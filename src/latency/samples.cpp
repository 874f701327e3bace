// SPDX-License-Identifier: Apache-2.0
#include "latency/samples.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace ptxlat::latency {

namespace {

constexpr double majority = 0.5;

// Sorted, without the slowest, which may be the first.
std::vector<std::uint32_t> without_slowest(std::vector<std::uint32_t> cycles) {
  std::sort(cycles.begin(), cycles.end());
  if (cycles.size() > 2) cycles.pop_back();
  return cycles;
}

}  // namespace

std::vector<std::uint32_t> elapsed_cycles(const ptx::Readout& readout) {
  std::vector<std::uint32_t> samples;
  for (std::size_t launch = 0; launch < readout.launches; ++launch)
    samples.push_back(readout.word(launch, 0, 1) - readout.word(launch, 0, 0));
  return samples;
}

std::optional<Mode> mode_of(const std::vector<std::uint32_t>& samples) {
  if (samples.empty()) return std::nullopt;
  std::map<std::uint32_t, int> counts;
  for (const auto sample : samples) ++counts[sample];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return Mode{most->first, static_cast<double>(most->second) / static_cast<double>(samples.size())};
}

std::optional<double> elapsed_of(const std::vector<std::uint32_t>& samples, bool uses_memory) {
  constexpr double widest_spread = 0.1;
  const auto mode = mode_of(samples);
  if (!mode) return std::nullopt;
  const auto cycles = without_slowest(samples);
  const double median = cycles[cycles.size() / 2];
  const bool is_narrow = cycles.back() - cycles.front() <= widest_spread * median;
  // Of two values in turn, the first one has 5 of 9 launches and the other one 4.
  const auto fastest = std::count(samples.begin(), samples.end(), cycles.front());
  if (is_narrow && 9 * fastest >= 4 * std::ssize(samples)) return cycles.front();
  if (mode->share > majority) return mode->cycles;
  if (uses_memory) return cycles.front();
  if (!is_narrow) return std::nullopt;
  return median;
}

double spread_of(const std::vector<std::uint32_t>& samples) {
  const auto mode = mode_of(samples);
  if (!mode || mode->share > majority) return 0;
  const auto cycles = without_slowest(samples);
  return static_cast<double>(cycles.back() - cycles.front());
}

double spread_of(const results::Record& record) {
  double widest = 0;
  for (const auto& window : record.windows) widest = std::max(widest, spread_of(window.samples));
  return widest;
}

}  // namespace ptxlat::latency
