// SPDX-License-Identifier: Apache-2.0
#include "memory/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

using results::Fact;

constexpr std::uint64_t warp = 32;

class Warp {
 public:
  explicit Warp(Machine& machine) : machine_(machine) {}

  // The median over several warps: noise is rare.
  double cycles(const std::vector<Addresses>& lanes) {
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
      const auto answer = machine_.access(lanes, machine_.info().usual_operator(), 0);
      times.push_back(answer.empty() ? 0 : *std::max_element(answer.begin(), answer.end()));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
  double apart(std::uint64_t distance, std::uint64_t lanes = 2) {
    return cycles({{0, static_cast<std::int64_t>(distance), lanes}});
  }

 private:
  Machine& machine_;
};

struct Banks {
  double alone = 0;          // one lane
  double further = 0;        // cost of a second word of one bank
  std::uint64_t period = 0;  // bytes after which the first bank repeats
  std::uint64_t width = 0;   // bytes of a bank
  std::string reason;
  bool conflicts(double cycles) const { return cycles > alone + further / 2; }
};

// The nearest distance at which two lanes take longer than one. All distances are tried, since conflicts at twice a
// distance say nothing about nearer ones.
void find_period(Warp& machine, std::uint64_t bytes, Banks& banks) {
  constexpr std::uint64_t most = 1 << 14;
  banks.alone = machine.apart(0, 1);
  // The cost at the worst distance is the cost of a conflict.
  std::vector<double> cycles{banks.alone};
  for (std::uint64_t distance = 1; distance <= std::min(most, bytes / 2); ++distance) {
    cycles.push_back(machine.apart(distance));
    if (banks.period == 0 && cycles.back() > banks.alone * 1.02) banks.period = distance;
    // A second conflict at twice the distance confirms it.
    if (banks.period != 0 && distance == 2 * banks.period) break;
  }
  if (banks.period == 0 || 2 * banks.period >= cycles.size()) {
    banks.reason = "no two addresses were found that take longer than one";
    banks.period = 0;
    return;
  }
  banks.further = cycles[banks.period] - banks.alone;
  if (!banks.conflicts(cycles[2 * banks.period])) {
    banks.reason = "two lanes take longer at one distance and not at twice that";
    banks.period = 0;
    return;
  }
  banks.width = 1;
  while (banks.width < banks.period && banks.conflicts(cycles[banks.period + banks.width])) ++banks.width;
}

// Whether random lanes take as long as the fullest bank predicts.
bool predicts(Warp& machine, std::uint64_t bytes, const Banks& banks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t count = banks.period / banks.width;
  for (int round = 0; round < 24; ++round) {
    std::vector<Addresses> lanes;
    std::vector<std::vector<std::uint64_t>> words(count);
    for (std::uint64_t lane = 0; lane < warp; ++lane) {
      const std::uint64_t word = random() % (bytes / banks.width);
      lanes.push_back({word * banks.width, 0, 1});
      auto& bank = words[word % count];
      if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
    }
    std::size_t fullest = 0;
    for (const auto& bank : words) fullest = std::max(fullest, bank.size());
    const double expected = banks.alone + banks.further * static_cast<double>(fullest - 1);
    if (std::abs(machine.cycles(lanes) - expected) > banks.further / 2) return false;
  }
  return true;
}

}  // namespace

std::vector<Fact> infer_banks(Machine& machine, std::uint64_t seed) {
  const auto& info = machine.info();
  const std::string& space = info.space;
  machine.prepare();
  Warp lanes(machine);
  Banks banks;
  find_period(lanes, info.bytes, banks);
  if (banks.period != 0 && (banks.period % banks.width != 0 || !predicts(lanes, info.bytes, banks, seed)))
    banks.reason = "random lanes did not take as long as the fullest bank";
  const bool is_known = banks.reason.empty();
  std::vector<Fact> facts;
  facts.push_back(series::measured(space + ".latency", banks.alone, 0.05 * banks.alone, "cycles", "one lane"));
  facts.push_back(series::inferred(space + ".banks", is_known ? banks.period / banks.width : 0, "count",
                                   "two lanes that take longer than one; predicted random lanes", banks.reason));
  facts.push_back(series::inferred(space + ".bank_bytes", is_known ? banks.width : 0, "bytes",
                                   "how far past one period two lanes still take longer", banks.reason));
  const bool is_shared = !banks.conflicts(lanes.apart(0, warp));
  facts.push_back(series::inferred(space + ".broadcast", is_known ? (is_shared ? "1" : "0") : "", "count",
                                   "32 lanes of one word take as long as one", banks.reason));
  if (!is_known) {
    facts.push_back(series::inferred(space + ".conflict_slope", "", "cycles", "", banks.reason));
    return facts;
  }
  const std::uint64_t most = std::min(warp, info.bytes / banks.period);
  const double slope = (lanes.apart(banks.period, most) - banks.alone) / static_cast<double>(most - 1);
  facts.push_back(series::measured(space + ".conflict_slope", slope, 0.05 * slope, "cycles",
                                   fmt::format("{} words of one bank against one", most)));
  facts.back().condition = fmt::format("bits={}", 8 * banks.width);
  return facts;
}

}  // namespace ptxlat::memory
