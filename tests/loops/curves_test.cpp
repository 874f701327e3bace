// SPDX-License-Identifier: Apache-2.0

// How far the launches of invented SMs spread, and what becomes of a throughput that has no single value.
#include <cmath>
#include <filesystem>
#include <map>
#include <random>

#include "../ptx/shipped_catalogue.h"
#include "base/quantile.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "loops/gpu_rates.h"
#include "loops/loop.h"
#include "loops/saturated_kernel.h"
#include "opcodes/contention.h"
#include "opcodes/opcode_rows.h"
#include "results/access_pattern.h"

using namespace ptxlat;
using namespace ptxlat::loops;
using namespace ptxlat::opcodes;

namespace {

namespace metric = results::metric;

constexpr int launches = 7, rounds_of_test = 32, shorter_copies = 48, longer_copies = 112;
const std::vector<int> warps{1, 2, 4, 8, 16, 32};

results::Record record_of(const char* ptx) {
  results::Record record;
  record.kind = results::RecordKind::throughput;
  record.ptx = ptx;
  record.sass = {"LDG.E"};
  results::WindowRecord window;
  window.role = "loop of 112";
  record.windows = {window};
  return record;
}

// How much longer than without disturbance each launch with a number of warps takes, as a factor.
using Disturbance = std::function<double(int warps, int launch)>;

// An SM whose sub-partitions take an instruction every `interval` cycles.
LoopTimes times_of(double interval, const Disturbance& disturbance, int count_of_launches = launches) {
  LoopTimes times;
  times.rounds = rounds_of_test;
  for (const int count : warps) {
    for (const bool is_longer : {false, true}) {
      const double cycles =
          130 + rounds_of_test * std::ceil(count / 4.0) * interval * (is_longer ? longer_copies : shorter_copies);
      Elapsed elapsed;
      std::vector<double> all;
      for (int launch = 0; launch < count_of_launches; ++launch)
        all.push_back(elapsed.launches.emplace_back(cycles * disturbance(count, launch)).value());
      elapsed.middle = middle_mean_of(all);
      (is_longer ? times.longer : times.shorter).push_back(elapsed);
    }
  }
  return times;
}

results::Record measured(const LoopTimes& times, const char* ptx = "ld.global.u32") {
  auto record = record_of(ptx);
  put_rates(record, warps, times,
            [](const Timing& timing) { return cycles_of_copy(timing, shorter_copies, longer_copies); });
  REQUIRE(record.series.size() == 1);
  REQUIRE(record.number(metric::throughput_low));
  REQUIRE(record.number(metric::throughput_high));
  return record;
}

bool is_near(double value, double wanted, double share = 0.001) { return std::abs(value - wanted) <= share * wanted; }

}  // namespace

TEST_CASE("a throughput whose launches fall into two is unstable, and one whose launches agree is not") {
  std::mt19937 random(11);
  for (int machine = 0; machine < 200; ++machine) {
    const double interval = std::uniform_real_distribution<>(1, 40)(random);
    const double quiet = std::uniform_real_distribution<>(0, 0.01)(random);
    const double noisy = std::uniform_real_distribution<>(0.03, 0.8)(random);
    const auto slower_by = [](double share) {
      return [share](int, int launch) { return launch % 2 == 0 ? 1 : 1 + share; };
    };
    const auto steady = measured(times_of(interval, slower_by(quiet)));
    CHECK(steady.verdict == sass::Verdict::proven);
    CHECK(steady.note.empty());
    REQUIRE(steady.number(metric::throughput));
    CHECK(is_near(*steady.number(metric::throughput), 128 / interval, 0.001 + quiet));
    const auto split = measured(times_of(interval, slower_by(noisy)));
    CHECK(split.verdict == sass::Verdict::unstable);
    for (const auto number : {metric::throughput, metric::interval, metric::saturates_at})
      CHECK_FALSE(split.number(number));
    const double low = *split.number(metric::throughput_low), high = *split.number(metric::throughput_high);
    CHECK(high - low > largest_spread * (low + high) / 2);
  }
}

TEST_CASE("a throughput on which a few launches do not agree is that of more launches") {
  std::mt19937 random(14);
  std::normal_distribution<double> distance(0, 0.03);  // of a slice of the cache
  int unstable = 0, settled = 0;
  for (int machine = 0; machine < 100; ++machine) {
    std::vector<int> asked;
    const auto time_of = [&](bool is_longer) {
      return [&, is_longer](const std::vector<int>& numbers, int, int times_as_often) {
        const auto all = times_of(
            4, [&](int, int) { return 1 + std::abs(distance(random)); }, times_as_often * launches);
        LoopTime time;
        for (const int number : numbers) {
          const auto at = std::find(warps.begin(), warps.end(), number) - warps.begin();
          time.cycles.push_back((is_longer ? all.longer : all.shorter)[static_cast<std::size_t>(at)]);
          if (times_as_often > 1 && is_longer) asked.push_back(number);
        }
        return time;
      };
    };
    const TimeLoops time{time_of(false), time_of(true)};
    const auto copy = [](const Timing& timing) { return cycles_of_copy(timing, shorter_copies, longer_copies); };
    LoopTimes times{rounds_of_test,
                    time.shorter(warps, rounds_of_test, 1).cycles,
                    time.longer(warps, rounds_of_test, 1).cycles,
                    {},
                    {}};
    auto few = record_of("ld.acquire.gpu.u32");
    put_rates(few, warps, times, copy);
    auto record = record_of("ld.acquire.gpu.u32");
    put_settled_rates(record, warps, time, times, copy);
    REQUIRE(record.series.size() == 1);
    if (few.verdict == sass::Verdict::proven) {
      CHECK(asked.empty());
      continue;
    }
    CHECK(std::find(asked.begin(), asked.end(), 1) == asked.end());  // far from saturation
    ++unstable;
    if (record.verdict == sass::Verdict::proven) ++settled;
  }
  CHECK(unstable > 20);
  CHECK(2 * settled > unstable);
}

TEST_CASE("more launches that fail leave what the first ones said") {
  const auto times = times_of(2, [](int, int launch) { return launch % 2 == 0 ? 1.04 : 1; });
  int asked = 0;
  const auto fails = [&](const std::vector<int>&, int, int) {
    ++asked;
    return LoopTime{{}, sass::Verdict::timeout, "hung"};
  };
  auto record = record_of("ld.acquire.gpu.u32");
  put_settled_rates(record, warps, {fails, fails}, times,
                    [](const Timing& timing) { return cycles_of_copy(timing, shorter_copies, longer_copies); });
  REQUIRE(asked > 0);
  CHECK(record.verdict == sass::Verdict::unstable);
  CHECK(record.series.size() == 1);
  CHECK(record.note.ends_with("a launch failed: hung"));
  CHECK_FALSE(is_final(record));  // the next run may succeed
}

TEST_CASE("at lines and SMs that differ, the throughput is a range, once more launches do not agree either") {
  const auto is_slow = [](int launch) { return launch % 2 == 0; };
  double slow = 1.2;
  auto times = times_of(2, [&](int, int launch) { return is_slow(launch) ? slow : 1; });
  const auto again = [&](bool is_longer) {
    return [&, is_longer](const std::vector<int>& numbers, int, int times_as_often) {
      const auto all = times_of(
          2, [&](int, int launch) { return is_slow(launch) ? slow : 1; }, times_as_often * launches);
      const auto& cycles = is_longer ? all.longer : all.shorter;
      LoopTime time;
      for (const int number : numbers)
        time.cycles.push_back(cycles[static_cast<std::size_t>(std::ranges::find(warps, number) - warps.begin())]);
      return time;
    };
  };
  const auto copy = [](const Timing& timing) { return cycles_of_copy(timing, shorter_copies, longer_copies); };
  const auto settled = [&](const Settling& settling) {
    auto record = record_of("st.release.gpu.shared.u32");
    put_settled_rates(record, warps, {again(false), again(true)}, times, copy, settling);
    return record;
  };
  CHECK(settled({.most_times_as_often = 1}).verdict == sass::Verdict::unstable);
  auto record = settled({.most_times_as_often = 1, .is_survey = true});
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.has_flag(results::flag::survey));
  CHECK(record.series.size() == 1);
  CHECK(record.note == "a range, by the lines and the SM");
  const double low = *record.number(metric::throughput_low), high = *record.number(metric::throughput_high);
  CHECK(is_near(high, 64));
  CHECK(is_near(low, 64 / 1.2));
  CHECK((low < *record.number(metric::throughput) && *record.number(metric::throughput) < high));
  INFO("read again by the same rules");
  const auto before = record;
  read_again(record);
  CHECK(record == before);
  INFO("what differs by more than a factor of two is not a rate");
  slow = 2.5;
  times = times_of(2, [&](int, int launch) { return is_slow(launch) ? slow : 1; });
  record = settled({.most_times_as_often = 1, .is_survey = true});
  CHECK(record.verdict == sass::Verdict::unstable);
  CHECK_FALSE(record.has_flag(results::flag::survey));
}

TEST_CASE("many launches that fall into two give one throughput") {
  std::mt19937 random(12);
  std::vector<double> found;
  for (int machine = 0; machine < 100; ++machine) {
    std::map<int, bool> is_slow;
    for (int launch = 0; launch < 128; ++launch) is_slow[launch] = random() % 2 == 0;
    const auto record = measured(times_of(
        2, [&](int, int launch) { return is_slow[launch] ? 1.04 : 1; }, 128));
    REQUIRE(record.verdict == sass::Verdict::proven);
    const double throughput = *record.number(metric::throughput);
    CHECK(*record.number(metric::throughput_low) < throughput);
    CHECK(throughput < *record.number(metric::throughput_high));
    found.push_back(throughput);
  }
  INFO("nine of ten are within 1 % of each other, though half of the launches are not");
  CHECK(quantile_of(found, 0.95) - quantile_of(found, 0.05) < 0.01 * 64);
  const auto few = measured(times_of(2, [](int, int launch) { return launch % 2 == 0 ? 1.04 : 1; }));
  CHECK(few.verdict == sass::Verdict::unstable);
}

TEST_CASE("one launch in seven that was disturbed, or one that did not fit on its SM, does not make it unstable") {
  auto times = times_of(2, [](int, int launch) { return launch == 3 ? 5 : 1; });
  CHECK(measured(times).verdict == sass::Verdict::proven);
  for (auto& elapsed : times.longer) elapsed.launches[5].reset();
  CHECK(measured(times).number(metric::throughput) == 64.0);
}

TEST_CASE("only the numbers of warps that saturate the SM count") {
  const auto few = measured(times_of(2, [](int count, int launch) { return count <= 2 && launch % 2 == 1 ? 1.5 : 1; }));
  CHECK(few.verdict == sass::Verdict::proven);
  CHECK(few.number(metric::throughput_low) == few.number(metric::throughput_high));
  const auto many =
      measured(times_of(2, [](int count, int launch) { return count >= 4 && launch % 2 == 1 ? 1.5 : 1; }));
  CHECK(many.verdict == sass::Verdict::unstable);
}

TEST_CASE("the note says between what an unstable throughput lies, in the unit of the form") {
  const auto times = times_of(2, [](int, int launch) { return launch % 2 == 0 ? 1 : 2; });
  CHECK(measured(times).note == "its launches only show that it is between 32.82 and 69.58 results per cycle");
  CHECK(measured(times, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16").note ==
        "its launches only show that it is between 1.025 and 2.175 warp instructions per cycle");
}

TEST_CASE("a record is judged again with the current limit; one without bounds keeps its verdict") {
  auto record = measured(times_of(2, [](int, int launch) { return launch % 2 == 0 ? 1 : 2; }));
  const auto as_measured = record;
  read_again(record);
  CHECK(record == as_measured);
  record.set(metric::throughput_low, record.number(metric::throughput_high));
  read_again(record);
  CHECK(record.verdict == sass::Verdict::proven);
  REQUIRE(record.number(metric::throughput));
  CHECK(is_near(*record.number(metric::throughput), 64 / 1.4));  // without an eighth, three launches of 1 and two of 2
  CHECK(record.note.empty());
  for (const auto number : {metric::throughput_low, metric::throughput_high}) record.set(number, {});
  read_again(record);
  CHECK(record.verdict == sass::Verdict::proven);
}

TEST_CASE("an opcode whose throughput is unstable has a row without one, unless a different form's is stable") {
  const auto split = measured(times_of(2, [](int, int launch) { return launch % 2 == 0 ? 1 : 2; }), "ld.global.u32");
  const auto steady = measured(times_of(2, [](int, int) { return 1; }), "ld.global.s32");
  const auto row_of = [&](const std::vector<results::Record>& records) {
    const auto opcodes = opcodes_measured(shipped(), records);
    CHECK(plan_contention(shipped(), opcodes, 3).empty());
    const auto rows = opcode_rows(opcodes, {records, {}, {}, {}, {}, {}});
    REQUIRE(rows.size() == 1);
    CHECK(rows.front().name == "LDG.E");
    return rows.front();
  };
  const auto alone = row_of({split});
  CHECK_FALSE(alone.throughput);
  CHECK_FALSE(alone.interval);
  CHECK(alone.note == split.note);
  CHECK(row_of({split, steady}).throughput == 64.0);
}

TEST_CASE("more instructions than an SM issues are no throughput") {
  const auto of_code = [](double interval, const std::vector<std::string>& opcodes, int count) {
    auto record = record_of("ldexp");
    record.sass = opcodes;
    record.sass_count = count;
    put_rates(record, warps, times_of(interval, [](int, int) { return 1; }),
              [](const Timing& timing) { return cycles_of_copy(timing, shorter_copies, longer_copies); });
    return record;
  };
  const std::vector<std::string> four{"FMUL", "SHF.L.U32", "IADD3", "FMUL"};
  CHECK(of_code(4, four, 4).number(metric::throughput));
  const auto too_fast = of_code(3, four, 4);
  CHECK(too_fast.verdict == sass::Verdict::unstable);
  CHECK(too_fast.note == "it would be 5.33 instructions per cycle: more than an SM issues");
  for (const auto number : {metric::throughput, metric::interval, metric::saturates_at})
    CHECK_FALSE(too_fast.number(number));
  // Opcodes in turn are one instruction each, and of code that branches not all is executed.
  CHECK(of_code(1, {"HADD2", "HFMA2.MMA"}, 1).number(metric::throughput));
  CHECK(of_code(3, {"BSSY", "FMUL", "BRA", "FMUL", "BSYNC"}, 5).number(metric::throughput));
}

TEST_CASE("a unit that serves all sub-partitions is noted: four warps do not do four times what one does") {
  const auto shared = [](double interval) {
    return times_of(interval, [](int count, int) { return std::max(1.0, count / std::ceil(count / 4.0)); });
  };
  const auto one_unit = measured(shared(8));
  CHECK(one_unit.has_flag(results::flag::shares_unit));
  CHECK(one_unit.note.find("one unit serves all sub-partitions") != std::string::npos);
  const auto four_units = measured(times_of(8, [](int, int) { return 1; }));
  CHECK_FALSE(four_units.has_flag(results::flag::shares_unit));
  CHECK(four_units.note.empty());
}

TEST_CASE("a rate of the whole GPU is what it is, with the range of its launches") {
  auto record = record_of("atom.global.add.u32");
  record.operand = results::to_string(results::AccessPattern::own_lines);
  constexpr int sms = 132;
  put_rates(record, warps, times_of(100, [](int, int launch) { return 1 + 0.1 * launch; }),
            [](const Timing& timing) { return cycles_of_copy(timing, shorter_copies, longer_copies) / sms; });
  CHECK(record.verdict == sass::Verdict::proven);
  const auto rate = record.number(metric::throughput);
  REQUIRE(rate);
  const double undisturbed = sms * 128.0 / 100;
  CHECK(*rate < undisturbed);
  CHECK(is_near(record.number(metric::throughput_high).value(), undisturbed));
  CHECK(is_near(record.number(metric::throughput_low).value(), undisturbed / 1.6));
  CHECK_FALSE(record.number(metric::interval));
  CHECK_FALSE(record.has_flag(results::flag::shares_unit));
  CHECK(record.series.front().unit == "results/clk");
  INFO("read again by the same rules");
  const auto before = record;
  read_again(record);
  CHECK(record == before);
  INFO("and no opcode has it");
  CHECK(opcodes_measured(ptxlat::shipped(), {record}).empty());
}

TEST_CASE("what leaves the SM is what stores, changes memory, fences, or asks for what all SMs see") {
  const auto leaves = [](std::vector<const char*> texts) {
    std::vector<std::string> opcodes;
    for (const auto* text : texts) opcodes.emplace_back(sass::opcode_of(text));
    return leaves_the_sm(opcodes);
  };
  for (const char* text :
       {"STG.E desc[UR4][R2.64], R5", "ST.E.128 [R2], R4", "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5",
        "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", "ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R5",
        "LDG.E.STRONG.SYS R5, desc[UR4][R2.64]", "MEMBAR.SC.GPU"})
    CHECK(leaves({"IADD3 R1, R1, R2, RZ", text}));
  for (const char* text :
       {"LDG.E R5, desc[UR4][R2.64]", "STS [R2], R5", "ATOMS.ADD R5, [R2], R5", "STL [R2], R5", "LDS R5, [R2]"})
    CHECK_FALSE(leaves({text}));
}
