// SPDX-License-Identifier: Apache-2.0
#include "loops/rates.h"

#include <cmath>
#include <random>

#include "base/quantile.h"
#include "catch.h"
#include "loops/loop.h"
#include "loops/saturated_kernel.h"

using namespace ptxlat;
using namespace ptxlat::loops;

namespace {

constexpr int rate_rounds = 40;

bool is_near(double value, double wanted, double share = 0.01) { return std::abs(value - wanted) <= share * wanted; }

ptx::Readout readout_of(const std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>& launches) {
  ptx::Readout readout;
  readout.launches = launches.size();
  readout.threads = launches.front().size();
  readout.words_per_thread = 2;
  for (const auto& launch : launches) {
    for (const auto& [begin, end] : launch) readout.words.insert(readout.words.end(), {begin, end});
  }
  return readout;
}

// An SM whose sub-partitions take an instruction each `interval` cycles; its result is there after `latency`.
double cycles_of_loop(int warps, int copies, double interval, double latency) {
  const double in_sub_partition = std::ceil(warps / 4.0);
  const double start = 130, own_instructions = 4;
  return start +
         rate_rounds * std::max(in_sub_partition * (copies * interval + own_instructions), copies * interval + latency);
}

}  // namespace

TEST_CASE("a loop takes from the first warp's beginning to the last one's end, over the end of the clock, too") {
  const auto elapsed = [](const auto& launches) {
    return elapsed_of(cycles_of_launches(readout_of(launches), launches.front().size()));
  };
  const auto middle_of = [&](const auto& launches) { return elapsed(launches).value().middle; };
  using Launches = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;
  CHECK(middle_of(Launches{{{100, 300}, {90, 310}, {120, 290}}}) == 220.0);
  CHECK(middle_of(Launches{{{0xfffffff0u, 0x10u}, {0xffffffe0u, 0x8u}}}) == 48.0);
  const auto of_launches = elapsed(Launches{{{0, 10}}, {{0, 14}}, {{0, 0}}, {{0, 12}}});
  REQUIRE(of_launches);
  CHECK(of_launches->middle == 12.0);
  INFO("the third did not fit on its SM");
  CHECK(of_launches->launches == std::vector<std::optional<double>>{10, 14, {}, 12});
  CHECK_FALSE(elapsed(Launches{{{0, 0}, {0, 0}}}));
}

TEST_CASE("of CTAs on different SMs, whose clocks have nothing in common, the slowest counts") {
  const auto readout =
      readout_of({{{100, 300}, {90, 310}, {5000, 5100}, {5010, 5400}}, {{0, 10}, {0, 20}, {7, 9}, {7, 9}}});
  const auto elapsed = elapsed_of(cycles_of_launches(readout, 2));
  REQUIRE(elapsed);
  CHECK(elapsed->launches == std::vector<std::optional<double>>{400, 20});
}

TEST_CASE("the slope over two bodies leaves the loop's own instructions out") {
  for (const double interval : {1.0, 2.0, 8.0}) {
    for (const int warps : {1, 2, 4, 5, 16, 32}) {
      const Timing timing{warps, rate_rounds, cycles_of_loop(warps, 48, interval, 20),
                          cycles_of_loop(warps, 112, interval, 20)};
      CHECK(is_near(cycles_of_copy(timing, 48, 112), std::ceil(warps / 4.0) * interval));
    }
  }
}

TEST_CASE("if warps drift apart, the longer loop's own rate counts") {
  // The slope says that 64 more copies cost nothing.
  CHECK(cycles_of_copy({16, rate_rounds, 1000.0 * rate_rounds, 1010.0 * rate_rounds}, 48, 112) ==
        (1010.0 * rate_rounds - 200) / (112 * rate_rounds));
  INFO("one warp on each scheduler cannot");
  CHECK(is_near(cycles_of_copy({4, rate_rounds, 1000.0 * rate_rounds, 1064.0 * rate_rounds}, 48, 112), 1.0));
}

TEST_CASE("a curve gives throughput, interval and the warps that are enough, dips and noise or not") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> noise(-0.01, 0.01);
  std::vector<int> warps;
  std::vector<double> rates;
  for (int count = 1; count <= 32; ++count) {
    warps.push_back(count);
    // With 4k + 1 warps one scheduler has one more than the others.
    rates.push_back(count * 32 / (std::ceil(count / 4.0) * 2) * (1 + noise(random)));
  }
  const auto found = saturation_of(warps, rates);
  CHECK(is_near(found.per_clock, 64, 0.005));
  CHECK(is_near(found.interval, 2, 0.005));
  CHECK(found.saturates_at == 4);
  CHECK_FALSE(found.still_rises);
  const auto rising = saturation_of({1, 2, 4, 8}, {4, 8, 16, 32});
  CHECK(rising.saturates_at == 8);
  CHECK(rising.still_rises);
}

TEST_CASE("a throughput is that of the best numbers of warps, and those within 3 % of it saturate the SM") {
  // What a hundred invented instructions in turn do on two pipes depends on how many warps there are.
  const auto found = saturation_of({1, 2, 4, 8, 16, 32}, {4, 8, 16, 31.1, 31.9, 32});
  CHECK(found.per_clock == 32);
  CHECK(found.saturates_at == 8);
  CHECK(found.best == std::vector<std::size_t>{4, 5});
}

TEST_CASE("a single number of warps that is slightly too fast does not count") {
  // abs.f16 on an H200: two instructions, each of a pipe with 64 results per cycle.
  const std::vector<int> warps{1, 2, 4, 8, 12, 16, 20, 24, 28, 32};
  CHECK(is_near(saturation_of(warps, {5.3, 10.7, 21.3, 42.7, 64.73, 64.10, 64.02, 63.99, 63.99, 63.99}).per_clock, 64,
                0.001));
  INFO("a peak that is higher than an error is one");
  CHECK(saturation_of(warps, {1, 2, 4, 8, 10, 13, 16, 15.4, 15.3, 15.5}).per_clock == 16);
  INFO("what still rises has not come to its end");
  CHECK(saturation_of(warps, {1, 2, 3, 4, 5, 6, 7, 8, 8.9, 9}).per_clock == 9);
}

TEST_CASE("the middle mean leaves an eighth out at each end") {
  CHECK(middle_mean_of({}) == 0);
  CHECK(middle_mean_of({3}) == 3);
  CHECK(middle_mean_of({9, 1}) == 5);
  CHECK(middle_mean_of({100, 2, 4, 5, 4, -50, 5}) == 4);
  CHECK(middle_mean_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 100, 100}) == 8.5);
}

TEST_CASE("only numbers of warps whose launches differ are timed again") {
  const auto launches = [](std::vector<std::optional<double>> all) { return Elapsed{1000, std::move(all)}; };
  const auto equal = launches({1000, 1000.5, 1000}), different = launches({1000, 1002, 1000});
  const auto empty = launches({1000, std::nullopt});
  LoopTimes times{default_rounds, {equal, equal, different, equal}, {equal, different, equal, empty}, {}, {}};
  CHECK(those_that_differ(times) == std::vector<std::size_t>{1, 2, 3});
  std::vector<std::vector<int>> asked;
  const auto seven = [&](const std::vector<int>& warps, int, int) {
    asked.push_back(warps);
    return LoopTime{std::vector<Elapsed>(warps.size(), {1007, {}}), sass::Verdict::proven, {}};
  };
  time_more_often({seven, seven}, {1, 2, 4, 32}, {1, 2}, 1, times);
  CHECK(asked == std::vector<std::vector<int>>{{2, 4}, {2, 4}});
  CHECK(times.longer[0].middle == 1000);
  CHECK(times.longer[1].middle == 1007);
  CHECK(times.shorter[2].middle == 1007);
  time_more_often({seven, seven}, {1, 2, 4, 32}, {}, 1, times);
  CHECK(asked.size() == 2);
}

TEST_CASE("the longer of two loops is first timed with all warps, which says how many rounds are enough") {
  // An SM that takes `interval` cycles for each copy of each warp, and idles for a while where the last warp ends.
  for (const double interval : {0.25, 1.0, 4.0, 16.0, 200.0}) {
    std::vector<std::vector<int>> asked;
    const auto with_copies = [&](int copies) {
      return [&asked, copies, interval](const std::vector<int>& warps, int rounds, int) {
        asked.push_back(warps);
        LoopTime time;
        for (const int count : warps) time.cycles.push_back({300 + copies * interval * count * rounds, {}});
        return time;
      };
    };
    const auto times = time_both({with_copies(48), with_copies(112)}, {1, 2, 32});
    CHECK(asked == std::vector<std::vector<int>>{{32}, {1, 2, 32}, {1, 2, 32}});
    REQUIRE(times.longer.size() == 3);
    CHECK(times.longer.back().middle == 300 + 112 * interval * 32 * times.rounds);
    CHECK(times.rounds >= default_rounds);
    CHECK(times.rounds <= 128);
    CAPTURE(interval, times.rounds);
    if (times.rounds > default_rounds) CHECK(times.longer.back().middle < 1100000);
    if (interval <= 4) CHECK(times.rounds >= 32);
  }
  const auto fails = [](const std::vector<int>&, int, int) { return LoopTime{{}, sass::Verdict::timeout, "hung"}; };
  const auto ends = [](const std::vector<int>& warps, int, int) {
    return LoopTime{std::vector<Elapsed>(warps.size(), {1000, {}}), sass::Verdict::proven, {}};
  };
  for (const auto& loops : {TimeLoops{fails, fails}, TimeLoops{fails, ends}, TimeLoops{ends, fails}}) {
    const auto failed = time_both(loops, {1, 32});
    CHECK(failed.shorter.empty());
    CHECK(failed.longer.empty());
    CHECK(failed.verdict == sass::Verdict::timeout);
    CHECK(failed.message == "hung");
  }
}

TEST_CASE("a launch chooses the rounds of a loop, and nothing else of its input") {
  ptx::Launch launch;
  launch.threads = 2;
  for (std::uint64_t i = 0; i < 2 * ptx::operands_per_slot; ++i) launch.input.push_back(8);
  const auto changed = with_rounds(launch, 40);
  for (std::size_t i = 0; i < launch.input.size(); ++i)
    CHECK(changed.input[i] == (i % ptx::operands_per_slot == ptx::slot_of_rounds ? 40 : 8));
}
