// SPDX-License-Identifier: Apache-2.0
#include "loops/rates.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/quantile.h"
#include "loops/saturated_kernel.h"

namespace ptxlat::loops {

namespace {

// 0 if no warp stored its clocks.
double cycles_of_cta(const ptx::Readout& readout, std::size_t launch, std::size_t first_thread, std::size_t threads) {
  // The clock has 32 bits: everything is counted from the first thread's first reading.
  const auto origin = readout.word(launch, first_thread, 0);
  std::int32_t begin = 0, end = 0;
  for (auto thread = first_thread; thread < first_thread + threads; ++thread) {
    begin = std::min(begin, static_cast<std::int32_t>(readout.word(launch, thread, 0) - origin));
    end = std::max(end, static_cast<std::int32_t>(readout.word(launch, thread, 1) - origin));
  }
  return static_cast<double>(end) - begin;
}

}  // namespace

std::vector<std::optional<double>> cycles_of_launches(const ptx::Readout& readout, std::size_t threads) {
  std::vector<std::optional<double>> launches;
  for (std::size_t launch = 0; launch < readout.launches; ++launch) {
    double slowest = 0;
    for (std::size_t first = 0; first + threads <= readout.threads; first += threads)
      slowest = std::max(slowest, cycles_of_cta(readout, launch, first, threads));
    launches.push_back(slowest > 0 ? std::optional(slowest) : std::nullopt);
  }
  return launches;
}

std::optional<Elapsed> elapsed_of(std::vector<std::optional<double>> launches) {
  std::vector<double> of_all;
  for (const auto& cycles : launches) {
    if (cycles) of_all.push_back(*cycles);
  }
  if (of_all.empty()) return std::nullopt;
  return Elapsed{middle_mean_of(std::move(of_all)), std::move(launches)};
}

double cycles_of_copy(const Timing& timing, int shorter_copies, int longer_copies) {
  const double slope = (timing.longer - timing.shorter) / ((longer_copies - shorter_copies) * timing.rounds);
  const double own = (timing.longer - cycles_of_ends) / (longer_copies * timing.rounds);
  // The loop's own instructions are at most a twentieth of it.
  constexpr double greatest_part_of_steering = 0.08;
  const bool may_run_apart = timing.warps > sub_partitions;  // a single warp waits for its own branch
  return may_run_apart && slope < own * (1 - greatest_part_of_steering) ? own : slope;
}

namespace {

// The rate that the numbers of warps that saturate the SM are compared with.
double best_of(const std::vector<double>& results) {
  constexpr double largest_error = 1.02;
  const auto most = *std::max_element(results.begin(), results.end());
  if (results.back() == most) return most;  // more warps may do more still
  auto sorted = results;
  std::nth_element(sorted.begin(), sorted.begin() + 1, sorted.end(), std::greater<>());
  return most <= largest_error * sorted[1] ? sorted[1] : most;
}

}  // namespace

Saturation saturation_of(const std::vector<int>& warps, const std::vector<double>& results) {
  constexpr double saturated = 0.97, equal = 0.99;
  const double most = best_of(results);
  Saturation saturation;
  std::vector<double> of_best;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] < equal * most) continue;
    of_best.push_back(results[i]);
    saturation.best.push_back(i);
  }
  const auto first = static_cast<std::size_t>(
      std::find_if(results.begin(), results.end(), [&](double result) { return result >= saturated * most; }) -
      results.begin());
  saturation.per_clock = median_of(of_best);
  saturation.interval = sub_partitions * lanes_of_a_warp / saturation.per_clock;
  saturation.saturates_at = warps[first];
  saturation.still_rises = first + 1 == results.size() && results.size() > 1;
  return saturation;
}

}  // namespace ptxlat::loops
