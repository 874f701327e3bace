// SPDX-License-Identifier: Apache-2.0
#include "memory/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace ptxlat::memory {

namespace {

// The centres of the samples' clusters. A cluster has its share of at least one sample; noise in all of them is not a
// cluster.
std::vector<double> cluster_values(const std::vector<std::vector<double>>& samples) {
  constexpr int bins = 200;
  constexpr double share = 0.05;
  double least = samples.front().front(), most = least;
  for (const auto& sample : samples) {
    const auto [low, high] = std::minmax_element(sample.begin(), sample.end());
    least = std::min(least, *low);
    most = std::max(most, *high);
  }
  if (!(most > least)) return {least};
  const auto bin_of = [&](double value) {
    return static_cast<std::size_t>((value - least) / (most - least) * (bins - 1));
  };
  std::vector<double> highest(bins);
  std::vector<std::vector<double>> values(bins);
  for (const auto& sample : samples) {
    std::vector<double> counts(bins);
    for (const double value : sample) {
      ++counts[bin_of(value)];
      values[bin_of(value)].push_back(value);
    }
    for (std::size_t bin = 0; bin < bins; ++bin)
      highest[bin] = std::max(highest[bin], counts[bin] / static_cast<double>(sample.size()));
  }
  std::vector<double> clusters;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    if (highest[bin] < share) continue;
    std::vector<double> cluster;
    for (; bin < bins && highest[bin] >= share; ++bin)
      cluster.insert(cluster.end(), values[bin].begin(), values[bin].end());
    std::nth_element(cluster.begin(), cluster.begin() + static_cast<std::ptrdiff_t>(cluster.size() / 2), cluster.end());
    clusters.push_back(cluster[cluster.size() / 2]);
  }
  return clusters;
}

}  // namespace

std::vector<Addresses> in_progressions(const Lines& addresses) {
  std::vector<Addresses> list;
  for (std::size_t i = 0; i < addresses.size();) {
    Addresses run{addresses[i]};
    if (i + 1 < addresses.size()) {
      run.stride = static_cast<std::int64_t>(addresses[i + 1] - addresses[i]);
      std::size_t end = i + 1;
      while (end < addresses.size() && static_cast<std::int64_t>(addresses[end] - addresses[end - 1]) == run.stride)
        ++end;
      run.count = end - i;
      // Two addresses are not yet a progression: the second may begin a longer one.
      if (run.count == 2 && end < addresses.size()) run = {addresses[i], 0, 1};
    }
    i += run.count;
    list.push_back(run);
  }
  return list;
}

Prober::Prober(Machine& machine, std::uint64_t seed)
    : machine_(machine), span_(std::bit_floor(std::max<std::uint64_t>(machine.info().bytes, 1))), random_(seed) {}

void Prober::prepare() {
  machine_.prepare();
  since_prepared_ = 0;
}

std::vector<double> Prober::access(const std::vector<Addresses>& list) {
  std::uint64_t count = 0;
  for (const Addresses& run : list) count += run.count;
  accesses_ += count;
  if (accesses_ > most_accesses)
    throw TooManyAccesses(fmt::format("the inference asked for more than {} accesses", most_accesses));
  if (!can_access(count))
    throw TooManyAccesses(fmt::format("more than {} accesses at a time are needed", info().most_accesses));
  since_prepared_ += count;
  auto cycles = machine_.access(list, info().usual_operator(), 0);
  if (cycles.size() != count)
    throw Error(ExitCode::failure, fmt::format("a machine answered {} of {} accesses", cycles.size(), count),
                "docs/inference.md says what it must answer.");
  return cycles;
}

std::vector<double> Prober::find_levels() {
  // Second laps over more and more lines, at a stride and at random: each level is the usual answer at some size,
  // however lines share its sets. Small numbers of lines are tried several times.
  constexpr std::uint64_t most_lines = 1 << 13, at_least = 64;
  std::vector<std::vector<double>> samples;
  const std::uint64_t most = std::min({span_, most_lines, info().most_accesses / 2});
  if (most == 0) throw TooManyAccesses("two accesses at a time are needed");
  for (std::uint64_t count = 1; count <= most; count *= 2) {
    for (const bool is_strided : {true, false}) {
      std::vector<double> first, second;
      while (second.size() < at_least) {
        Lines lines(count);
        for (std::uint64_t i = 0; i < count; ++i) lines[i] = is_strided ? i * (span_ / count) : random_() % span_;
        std::shuffle(lines.begin(), lines.end(), random_);
        prepare();
        const auto cold = lap(lines), warm = lap(lines);
        first.insert(first.end(), cold.begin(), cold.end());
        second.insert(second.end(), warm.begin(), warm.end());
      }
      samples.push_back(std::move(first));
      samples.push_back(std::move(second));
    }
  }
  return cluster_values(samples);
}

void Prober::set_level(double hit, double next) {
  limit_ = (hit + next) / 2;
  background_.clear();
}

std::vector<double> Prober::lap(const Lines& lines, std::uint64_t times, int laps) {
  auto list = in_progressions(lines);
  if (times > 1) {
    list.clear();
    for (const auto line : lines) list.push_back({line, 0, times});
  }
  const auto after = in_progressions(background_);
  list.insert(list.end(), after.begin(), after.end());
  const auto one = list;
  for (int again = 1; again < laps; ++again) list.insert(list.end(), one.begin(), one.end());
  return access(list);
}

std::vector<bool> Prober::misses_from_cold(const Lines& addresses) {
  prepare();
  std::vector<Addresses> list;
  const auto after = in_progressions(background_);
  if (after.empty()) list = in_progressions(addresses);
  for (std::size_t i = 0; !after.empty() && i < addresses.size(); ++i) {
    list.push_back({addresses[i], 0, 1});
    list.insert(list.end(), after.begin(), after.end());
  }
  const auto cycles = access(list);
  std::vector<bool> misses;
  for (std::size_t i = 0; i < cycles.size(); i += 1 + background_.size()) misses.push_back(is_miss(cycles[i]));
  return misses;
}

bool Prober::fits(const Lines& lines) {
  if (lines.empty() && background_.empty()) return true;
  const auto is_clean = [&](const std::vector<double>& cycles) {
    return std::none_of(cycles.begin(), cycles.end(), [&](double c) { return is_miss(c); });
  };
  prepare();
  // Two laps in one request: each request to a separate program has a cost.
  auto cycles = lap(lines, 1, 2);
  cycles.erase(cycles.begin(), cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2));
  if (is_clean(cycles)) return true;
  for (int laps = 2; laps < patience_ && can_access(lines.size() + background_.size()); ++laps)
    if (is_clean(lap(lines))) return true;
  return false;
}

}  // namespace ptxlat::memory
