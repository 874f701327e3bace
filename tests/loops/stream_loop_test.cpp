// SPDX-License-Identifier: Apache-2.0

// The throughput of code that cannot be copied, on invented SMs: the loops' times are known, and so is the answer.
#include "loops/stream_loop.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "isa/catalogue.h"

using namespace ptxlat;
using namespace ptxlat::loops;

namespace {

// A sub-partition that needs `busy` cycles for a copy and `feedback` for what feeds it back, of which a warp alone
// needs `latency`; copies of one warp overlap, and `steering` cycles are the loop's own.
struct Sm {
  double busy = 0, feedback = 0, latency = 0, steering = 0;

  double cycles(int warps, int copies, int feedbacks, int rounds) const {
    const double issued = warps / 4.0 * (copies * (busy + feedbacks * feedback) + steering);
    return 120 + rounds * std::max(issued, latency + feedbacks * feedback + steering);
  }
};

const std::vector<int> warps{1, 2, 4, 8, 16, 32};
constexpr int rounds = 64;

Elapsed elapsed(double cycles) {
  Elapsed made;
  made.launches = {cycles, cycles};
  made.middle = cycles;
  return made;
}

// Cycles of the SM for a copy in each warp, by the number of warps.
std::vector<double> times_found(const Sm& sm, int copies) {
  LoopTimes times;
  LoopTime twice;
  times.rounds = rounds;
  for (const int count : warps) {
    times.shorter.push_back(elapsed(sm.cycles(count, copies, 1, rounds)));
    times.longer.push_back(elapsed(sm.cycles(count, 2 * copies, 1, rounds)));
    twice.cycles.push_back(elapsed(sm.cycles(count, 2 * copies, 2, rounds)));
  }
  const int fed_back = sm.feedback > 0 ? 1 : 0;
  const auto time = time_of_stream_copy(copies, warps, times, fed_back, fed_back > 0 ? &twice : nullptr);
  std::vector<double> found;
  for (std::size_t i = 0; i < warps.size(); ++i) found.push_back(time(timing_of(times, warps, i)));
  return found;
}

}  // namespace

TEST_CASE("a copy takes what the SM needs for it, without what feeds it back and without the loop") {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::uniform_real_distribution<double> busy(8, 60), latency(20, 60);
    const Sm sm{busy(random), i % 2 == 0 ? 1.5 : 0, latency(random), 3};
    for (const int copies : {1, 2, 4}) {
      const auto found = times_found(sm, copies);
      const double saturated = warps.back() / 4.0 * sm.busy;
      INFO(sm.busy << " " << sm.latency << " " << copies);
      CHECK(std::abs(found.back() - saturated) <= 0.01 * saturated);
    }
  }
}

TEST_CASE("with few warps, a further copy that fills gaps does not take the SM less time than it is busy") {
  const Sm sm{18, 1, 120, 3};
  for (const int copies : {1, 2, 4}) {
    const auto found = times_found(sm, copies);
    for (std::size_t i = 0; i < warps.size(); ++i) {
      INFO(warps[i] << " warps, " << copies << " copies");
      CHECK(found[i] >= 0.98 * warps[i] / 4.0 * sm.busy);
    }
  }
}

TEST_CASE("many warps are tried first, with copies that fit the innermost instruction cache") {
  isa::Form form;
  const auto shapes = shapes_to_try(form, 100);
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].threads == 1024);
  CHECK(shapes[1].threads == 512);
  CHECK(std::all_of(shapes.begin(), shapes.end(), [](const auto& shape) { return shape.copies == 1; }));
  CHECK(shapes_to_try(form, 16).front().copies == 2);
  CHECK(shapes_to_try(form, 16).back().copies == 1);
}
