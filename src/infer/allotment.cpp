// SPDX-License-Identifier: Apache-2.0
#include "infer/allotment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ptxlat::infer {

using results::FactVerdict;
using results::Series;

namespace {

constexpr int lanes = 32;

bool predicts(const Allotment& allotment, const Resident& measured) {
  return allotment.resident(measured.warps, measured.registers) == measured.ctas;
}

}  // namespace

int Allotment::resident(int warps_of_cta, int registers_of_thread) const {
  const int rounded = (registers_of_thread + granularity - 1) / granularity * granularity;
  const int warps_of_part = registers / (lanes * rounded);
  // The warps of a CTA are spread over the parts evenly.
  const int by_registers =
      warps_of_cta % parts == 0 ? warps_of_part / (warps_of_cta / parts) : warps_of_part * parts / warps_of_cta;
  return std::min({blocks, warps / warps_of_cta, by_registers});
}

FoundAllotment find_allotment(const std::vector<Resident>& measured) {
  FoundAllotment found;
  if (measured.size() < 8) {
    found.why = fmt::format("{} measurements are too few", measured.size());
    return found;
  }
  Allotment limits;
  for (const auto& one : measured) {
    limits.blocks = std::max(limits.blocks, one.ctas);
    limits.warps = std::max(limits.warps, one.ctas * one.warps);
  }
  // A part has whole warps of the smallest allotment; 1 MiB of registers is more than any SM has.
  constexpr int most = 1 << 18, unit = 8 * lanes;
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
    found.why = "no equal shares of registers predict how many CTAs were there";
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
  for (const auto& other : left) {
    if (other.parts != left.front().parts || other.granularity != left.front().granularity) {
      found.why = fmt::format("{} parts with multiples of {} and {} parts with multiples of {} predict the same",
                              left.front().parts, left.front().granularity, other.parts, other.granularity);
      return found;
    }
    found.most_registers = std::max(found.most_registers, other.registers);
  }
  found.predicted = measured.size() / 2;
  return found;
}

std::vector<Finding> find_allotment(const Series& series, const SeriesGroup& group) {
  constexpr std::size_t quantities = 5;
  const auto axis_of = [&](const std::string& name) {
    const auto at = std::find_if(series.axes.begin(), series.axes.end(), [&](const auto& a) { return a.name == name; });
    return static_cast<std::size_t>(at - series.axes.begin());
  };
  const auto threads = axis_of("threads"), registers = axis_of("registers");
  const auto none = [](const std::string& why) {
    return std::vector<Finding>(quantities, Finding{std::nullopt, 0, 0, why});
  };
  if (threads == series.axes.size() || registers == series.axes.size())
    return none("there are no axes `threads` and `registers`");
  // The median over SMs.
  std::map<std::pair<int, int>, std::vector<double>> counts;
  for (const auto& point : group.points)
    counts[{static_cast<int>(series.axes[threads].values[point.places[threads]]),
            static_cast<int>(series.axes[registers].values[point.places[registers]])}]
        .push_back(point.value);
  std::vector<Resident> measured;
  for (auto& [launch, values] : counts)
    measured.push_back({launch.first / lanes, launch.second, static_cast<int>(std::lround(median_of(values)))});
  const auto found = find_allotment(measured);
  if (!found.why.empty()) return none(found.why);
  const auto how =
      fmt::format("chosen by {} launches, predicted {} others", measured.size() - found.predicted, found.predicted);
  const auto& allotment = found.allotment;
  const auto finding = [&](int value, int high) {
    return Finding{value, static_cast<double>(value), static_cast<double>(high), how, FactVerdict::inferred};
  };
  return {finding(allotment.blocks, allotment.blocks), finding(allotment.warps, allotment.warps),
          finding(allotment.registers, found.most_registers), finding(allotment.parts, allotment.parts),
          finding(allotment.granularity, allotment.granularity)};
}

}  // namespace ptxlat::infer
