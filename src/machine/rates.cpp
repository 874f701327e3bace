// SPDX-License-Identifier: Apache-2.0
#include "machine/rates.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/quantile.h"
#include "machine/saturated_kernel.h"

namespace ptxlat::machine {

namespace {

constexpr double sub_partitions = 4;  // of every SM since Volta

}  // namespace

std::optional<double> elapsed_of(const kernel::Readout& readout) {
  std::vector<double> elapsed;
  for (std::size_t launch = 0; launch < readout.launches; ++launch) {
    // The clock has 32 bits: everything is counted from the first thread's first reading.
    const auto origin = readout.word(launch, 0, 0);
    std::int32_t begin = 0, end = 0;
    for (std::size_t thread = 0; thread < readout.threads; ++thread) {
      begin = std::min(begin, static_cast<std::int32_t>(readout.word(launch, thread, 0) - origin));
      end = std::max(end, static_cast<std::int32_t>(readout.word(launch, thread, 1) - origin));
    }
    if (end > begin) elapsed.push_back(static_cast<double>(end) - begin);
  }
  if (elapsed.empty()) return std::nullopt;
  return median_of(elapsed);
}

double cycles_of_copy(const Timing& timing, int shorter_copies, int longer_copies) {
  const double slope = (timing.longer - timing.shorter) / ((longer_copies - shorter_copies) * rounds);
  // From the first warp's clock to the loop, and from the loop to the last one's, it is a few hundred cycles.
  constexpr double ends = 200;
  const double own = (timing.longer - ends) / (longer_copies * rounds);
  // The loop's own instructions are at most a twentieth of it.
  constexpr double greatest_part_of_steering = 0.08;
  const bool may_run_apart = timing.warps > sub_partitions;  // a single warp waits for its own branch
  return may_run_apart && slope < own * (1 - greatest_part_of_steering) ? own : slope;
}

Saturation saturation_of(const std::vector<int>& warps, const std::vector<double>& results) {
  constexpr double near_enough = 0.97;
  const double best = *std::max_element(results.begin(), results.end());
  const auto is_near = [&](double rate) { return rate >= near_enough * best; };
  std::vector<double> near;
  std::copy_if(results.begin(), results.end(), std::back_inserter(near), is_near);
  const auto first = std::find_if(results.begin(), results.end(), is_near) - results.begin();
  Saturation saturation;
  saturation.per_clock = median_of(near);
  saturation.interval = sub_partitions * lanes_of_a_warp / saturation.per_clock;
  saturation.saturates_at = warps[static_cast<std::size_t>(first)];
  saturation.still_rises = std::cmp_equal(first + 1, results.size()) && results.size() > 1;
  return saturation;
}

}  // namespace ptxlat::machine
