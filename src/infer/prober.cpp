#include "infer/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ptxlat::infer {

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
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
      // Two of a kind are no progression: the second may begin a longer one.
      if (run.count == 2 && end < addresses.size()) run = {addresses[i], 0, 1};
    }
    i += run.count;
    list.push_back(run);
  }
  return list;
}

Prober::Prober(Machine& machine, std::string with, int sm, std::uint64_t seed)
    : machine_(machine),
      with_(std::move(with)),
      sm_(sm),
      span_(std::bit_floor(std::max<std::uint64_t>(machine.info().bytes, 1))),
      random_(seed) {}

std::vector<double> Prober::access(const std::vector<Addresses>& list) {
  std::uint64_t count = 0;
  for (const Addresses& run : list) count += run.count;
  accesses_ += count;
  if (accesses_ > most_accesses)
    throw TooManyAccesses(fmt::format("the inference asked for more than {} accesses", most_accesses));
  auto cycles = machine_.access(list, with_, sm_);
  if (cycles.size() != count)
    throw std::runtime_error(fmt::format("a machine answered {} of {} accesses", cycles.size(), count));
  return cycles;
}

bool Prober::find_levels() {
  // Far from each other, so that no first access finds what another brought; as many as there are, up to a few dozen.
  constexpr std::uint64_t most = 48;
  const std::uint64_t step = std::max<std::uint64_t>(span_ / most, 1);
  std::vector<double> first, second;
  for (int round = 0; round < 3; ++round) {
    prepare();
    const std::uint64_t offset = random_() % std::max<std::uint64_t>(step / 2, 1);
    for (std::uint64_t i = 0; i < std::min(most, span_); ++i) {
      const auto cycles = access({{i * step + offset, 0, 2}});
      first.push_back(cycles[0]);
      second.push_back(cycles[1]);
    }
  }
  hit_ = median(second);
  miss_ = median(first);
  limit_ = (hit_ + miss_) / 2;
  return miss_ > hit_ * 1.02;
}

std::vector<bool> Prober::misses_from_cold(const Lines& addresses) {
  prepare();
  std::vector<bool> misses;
  for (const double cycles : access(in_progressions(addresses))) misses.push_back(is_miss(cycles));
  return misses;
}

bool Prober::fits(const Lines& lines) {
  if (lines.empty()) return true;
  const auto lap = in_progressions(lines);
  auto two_laps = lap;
  two_laps.insert(two_laps.end(), lap.begin(), lap.end());
  const auto ends_clean = [&](const std::vector<double>& cycles) {
    return std::none_of(cycles.end() - static_cast<std::ptrdiff_t>(lines.size()), cycles.end(),
                        [&](double c) { return is_miss(c); });
  };
  prepare();
  if (ends_clean(access(two_laps))) return true;
  for (int laps = 2; laps < patience_; ++laps)
    if (ends_clean(access(lap))) return true;
  return false;
}

}  // namespace ptxlat::infer
