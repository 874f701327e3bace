// SPDX-License-Identifier: Apache-2.0
#include "simulated_sm.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "named_axis.h"

namespace ptxlat::series {

using results::Axis;
using results::Series;

namespace {

Axis counting(const std::string& name, std::size_t from, std::size_t to) {
  Axis axis{name, "", {}, {}};
  for (auto i = from; i <= to; ++i) axis.values.push_back(static_cast<double>(i));
  return axis;
}

// One scheduler among several warps.
class Scheduler {
 public:
  explicit Scheduler(const std::string& policy) : policy_(policy) {}

  // Issues one instruction of those that arrived.
  void issue(std::vector<SimulatedSm::Warp*>& warps, int clock) {
    std::vector<SimulatedSm::Warp*> ready;
    for (auto* warp : warps) {
      if (warp->arrives <= clock && warp->work > 0) ready.push_back(warp);
    }
    if (ready.empty()) return;
    auto* chosen = choose(ready);
    if (chosen->start < 0) chosen->start = clock;
    if (--chosen->work == 0) chosen->end = clock + 1;
    last_ = chosen;
  }

 private:
  SimulatedSm::Warp* choose(const std::vector<SimulatedSm::Warp*>& ready) const {
    const auto goes_on = std::find(ready.begin(), ready.end(), last_);
    if (policy_.starts_with("greedy") && goes_on != ready.end()) return *goes_on;
    const auto by = [&](auto less) { return *std::min_element(ready.begin(), ready.end(), less); };
    using Warp = const SimulatedSm::Warp*;
    if (policy_.ends_with("longest_waiting")) return by([](Warp a, Warp b) { return a->arrives < b->arrives; });
    if (policy_.ends_with("shortest_waiting")) return by([](Warp a, Warp b) { return a->arrives > b->arrives; });
    if (policy_.ends_with("oldest")) return by([](Warp a, Warp b) { return a->number < b->number; });
    if (policy_.ends_with("youngest")) return by([](Warp a, Warp b) { return a->number > b->number; });
    // In turns: the next after the last.
    const auto distance = [&](Warp warp) {
      return last_ == nullptr ? warp->number : (warp->number + 1024 - last_->number - 1) % 1024;
    };
    return by([&](Warp a, Warp b) { return distance(a) < distance(b); });
  }

  std::string policy_;
  SimulatedSm::Warp* last_ = nullptr;
};

double noise(std::mt19937_64& random) { return std::uniform_real_distribution<double>(-0.5, 0.5)(random); }

}  // namespace

void SimulatedSm::run(std::vector<Warp>& warps) const {
  for (std::size_t i = 0; i < modulus; ++i) {
    std::vector<Warp*> own;
    for (auto& warp : warps) {
      if (warp.number % modulus == i) own.push_back(&warp);
    }
    Scheduler scheduler(policy);
    for (int clock = 0; std::any_of(own.begin(), own.end(), [](const Warp* warp) { return warp->work > 0; }); ++clock)
      scheduler.issue(own, clock);
  }
}

Series pair_series(const SimulatedSm& sm) {
  Series series{"interval", "cycles", {counting("distance", 0, 24), Axis{"first", "warp", {0, 1, 2, 5}, {}}}, {}};
  for (const double distance : series.axes[0].values) {
    for (const double first : series.axes[1].values) {
      std::vector<SimulatedSm::Warp> warps{{.number = static_cast<std::size_t>(first), .work = 112}};
      if (distance > 0) warps.push_back({.number = static_cast<std::size_t>(first + distance), .work = 112});
      sm.run(warps);
      int last = 0;
      for (const auto& warp : warps) last = std::max(last, warp.end);
      series.values.emplace_back((last + 38) / 112.0);
    }
  }
  return series;
}

Series policy_series(const SimulatedSm& sm, bool is_noisy) {
  Series series{
      "clock", "cycles", {Axis{"order", "", {}, {}}, counting("warp", 0, 24), named("word", {"start", "end"})}, {}};
  std::mt19937_64 random(3);
  std::vector<int> order{1, 2, 3, 4};
  do {
    series.axes[0].values.push_back(order[0] * 1000 + order[1] * 100 + order[2] * 10 + order[3]);
    std::vector<SimulatedSm::Warp> warps;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto turn = std::find(order.begin(), order.end(), static_cast<int>(i) + 1) - order.begin();
      warps.push_back({.number = 8 * i, .arrives = static_cast<int>(35 * turn), .work = 144});
    }
    sm.run(warps);
    if (is_noisy) {
      for (auto& warp : warps) warp.end += std::uniform_int_distribution<int>(0, 900)(random);
    }
    for (std::size_t warp = 0; warp <= 24; ++warp) {
      const bool works = warp % 8 == 0;
      series.values.push_back(works ? std::optional<double>(warps[warp / 8].start) : std::nullopt);
      series.values.push_back(works ? std::optional<double>(warps[warp / 8].end) : std::nullopt);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return series;
}

Series rate_series(const SimulatedSm& sm, std::uint64_t seed) {
  // Each mix by how many of four instructions are of which pipe.
  const std::vector<std::vector<int>> mixes{{4, 0}, {0, 4}, {2, 2}, {3, 1}};
  Series series{"time",
                "cycles",
                {named("mix", {"a", "b", "ab", "aab"}), Axis{"warps", "count", {1, 2, 4}, {}},
                 Axis{"instructions", "count", {32, 48, 64, 80, 96, 112}, {}}},
                {}};
  std::mt19937_64 random(seed);
  for (const auto& mix : mixes) {
    for (const double warps : series.axes[1].values) {
      for (const double instructions : series.axes[2].values) {
        double longest = instructions / sm.width;
        // One warp alone does not keep all pipes busy.
        for (std::size_t pipe = 0; pipe < mix.size(); ++pipe)
          longest = std::max(longest, instructions * mix[pipe] / 4 * sm.intervals[pipe] * (warps == 1 ? 1.2 : 1));
        series.values.emplace_back(longest + 60 / warps + noise(random));
      }
    }
  }
  return series;
}

}  // namespace ptxlat::series
