// SPDX-License-Identifier: Apache-2.0
#include "series/allotment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ptxlat::series {

using results::FactVerdict;
using results::Series;

namespace {

constexpr int threads_of_a_warp = 32;

// The allotments, with these limits, that predict every second measurement; then what predicts the others. If several
// do, they must agree on the parts; of the registers the fewest are taken.
template <class Measured, class Predicts>
FoundAllotment search(const std::vector<Measured>& measured, const Allotment& limits, const Predicts& predicts) {
  FoundAllotment found;
  // A part has whole warps of the smallest allotment; 1 MiB of registers is more than any SM has.
  constexpr int most = 1 << 18, unit = 8 * threads_of_a_warp;
  std::vector<Allotment> left;
  for (const int parts : {1, 2, 4, 8}) {
    for (const int granularity : {1, 2, 4, 8, 16, 32}) {
      for (int registers = unit; registers <= most / parts; registers += unit) {
        const Allotment allotment{limits.blocks, limits.warps, parts, registers, granularity};
        bool holds = true;
        for (std::size_t i = 0; i < measured.size() && holds; i += 2) holds = predicts(allotment, measured[i]);
        if (holds) left.push_back(allotment);
      }
    }
  }
  if (left.empty()) {
    found.why = "no equal shares of registers predict what was there";
    return found;
  }
  std::erase_if(left, [&](const Allotment& allotment) {
    for (std::size_t i = 1; i < measured.size(); i += 2) {
      if (!predicts(allotment, measured[i])) return true;
    }
    return false;
  });
  if (left.empty()) {
    found.why = "none of the rules that every second measurement leaves predicts the others";
    return found;
  }
  found.allotment = left.front();
  found.most_registers = left.front().registers;
  found.most_granularity = left.front().granularity;
  for (const auto& other : left) {
    if (other.parts != left.front().parts) {
      found.why = fmt::format("{} parts and {} parts predict the same", left.front().parts, other.parts);
      return found;
    }
    found.allotment.registers = std::min(found.allotment.registers, other.registers);
    found.most_registers = std::max(found.most_registers, other.registers);
    found.most_granularity = std::max(found.most_granularity, other.granularity);
  }
  found.predicted = measured.size() / 2;
  return found;
}

constexpr std::size_t fewest = 8;

std::string how_of(const FoundAllotment& found, std::size_t measured) {
  return fmt::format("chosen by {} launches, predicted {} others", measured - found.predicted, found.predicted);
}

Finding exactly(int value, int high, const std::string& how) {
  return {value, static_cast<double>(value), static_cast<double>(high), how, FactVerdict::inferred};
}

Finding granularity_of(const FoundAllotment& found, const std::string& how) {
  const int least = found.allotment.granularity;
  if (least == found.most_granularity) return exactly(least, least, how);
  return {std::nullopt, 0, 0, fmt::format("multiples of {} and of {} predict the same", least, found.most_granularity)};
}

}  // namespace

int Allotment::resident(int warps_of_cta, int registers_of_thread) const {
  const int rounded = (registers_of_thread + granularity - 1) / granularity * granularity;
  const int warps_of_part = registers / (threads_of_a_warp * rounded);
  // The warps of a CTA are spread over the parts evenly.
  const int by_registers =
      warps_of_cta % parts == 0 ? warps_of_part / (warps_of_cta / parts) : warps_of_part * parts / warps_of_cta;
  return std::min({blocks, warps / warps_of_cta, by_registers});
}

FoundAllotment find_allotment(const std::vector<Resident>& measured) {
  if (measured.size() < fewest) return {{}, 0, 0, 0, fmt::format("{} measurements are too few", measured.size())};
  Allotment limits;
  for (const auto& one : measured) {
    limits.blocks = std::max(limits.blocks, one.ctas);
    limits.warps = std::max(limits.warps, one.ctas * one.warps);
  }
  return search(measured, limits, [](const Allotment& allotment, const Resident& one) {
    return allotment.resident(one.warps, one.registers) == one.ctas;
  });
}

FoundAllotment find_allotment(const std::vector<LargestCta>& measured) {
  if (measured.size() < fewest) return {{}, 0, 0, 0, fmt::format("{} measurements are too few", measured.size())};
  Allotment limits{1, 0, 0, 0, 0};
  for (const auto& one : measured) limits.warps = std::max(limits.warps, one.warps);
  return search(measured, limits, [](const Allotment& allotment, const LargestCta& one) {
    const bool is_limited = one.warps == allotment.warps;
    return allotment.resident(one.warps, one.registers) == 1 &&
           (is_limited || allotment.resident(one.warps + 1, one.registers) == 0);
  });
}

std::vector<Finding> find_capacity(const Series& series, const SeriesGroup& group) {
  const auto threads = axis_named(series, "threads"), registers = axis_named(series, "registers");
  const auto none = [](const std::string& why) { return std::vector<Finding>(3, Finding{std::nullopt, 0, 0, why}); };
  if (!threads || !registers) return none("there are no axes `threads` and `registers`");
  std::map<int, int> largest;  // warps, by registers
  for (const auto& point : group.points) {
    auto& warps = largest[static_cast<int>(series.axes[*registers].values[point.places[*registers]])];
    warps = std::max(warps, static_cast<int>(series.axes[*threads].values[point.places[*threads]]) / threads_of_a_warp);
  }
  std::vector<LargestCta> measured;
  for (const auto& [count, warps] : largest) measured.push_back({count, warps});
  const auto found = find_allotment(measured);
  if (!found.why.empty()) return none(found.why);
  const auto how = how_of(found, measured.size());
  return {exactly(found.allotment.registers, found.most_registers, how),
          exactly(found.allotment.parts, found.allotment.parts, how), granularity_of(found, how)};
}

std::vector<Finding> find_allotment(const Series& series, const SeriesGroup& group) {
  const auto threads = axis_named(series, "threads"), registers = axis_named(series, "registers");
  const auto none = [](const std::string& why) { return std::vector<Finding>(5, Finding{std::nullopt, 0, 0, why}); };
  if (!threads || !registers) return none("there are no axes `threads` and `registers`");
  // The median over SMs.
  std::map<std::pair<int, int>, std::vector<double>> counts;
  for (const auto& point : group.points)
    counts[{static_cast<int>(series.axes[*threads].values[point.places[*threads]]),
            static_cast<int>(series.axes[*registers].values[point.places[*registers]])}]
        .push_back(point.value);
  std::vector<Resident> measured;
  for (auto& [launch, values] : counts)
    measured.push_back(
        {launch.first / threads_of_a_warp, launch.second, static_cast<int>(std::lround(median_of(values)))});
  const auto found = find_allotment(measured);
  if (!found.why.empty()) return none(found.why);
  const auto how = how_of(found, measured.size());
  const auto& allotment = found.allotment;
  return {exactly(allotment.blocks, allotment.blocks, how), exactly(allotment.warps, allotment.warps, how),
          exactly(allotment.registers, found.most_registers, how), exactly(allotment.parts, allotment.parts, how),
          granularity_of(found, how)};
}

}  // namespace ptxlat::series
