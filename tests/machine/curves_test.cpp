// SPDX-License-Identifier: Apache-2.0

// How far the launches of invented SMs spread, and what becomes of a throughput that has no single value.
#include "machine/curves.h"

#include <cmath>
#include <filesystem>
#include <random>

#include "base/quantile.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "machine/opcode_rows.h"
#include "machine/saturated_kernel.h"

using namespace ptxlat;
using namespace ptxlat::machine;

namespace {

namespace metric = results::metric;

constexpr int launches = 7, shorter_copies = 48, longer_copies = 112;
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
LoopTimes times_of(double interval, const Disturbance& disturbance) {
  LoopTimes times;
  for (const int count : warps) {
    for (const bool is_longer : {false, true}) {
      const double cycles =
          130 + rounds * std::ceil(count / 4.0) * interval * (is_longer ? longer_copies : shorter_copies);
      Elapsed elapsed;
      std::vector<double> all;
      for (int launch = 0; launch < launches; ++launch)
        all.push_back(elapsed.launches.emplace_back(cycles * disturbance(count, launch)).value());
      elapsed.median = median_of(all);
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

bool is_near(double value, double wanted) { return std::abs(value - wanted) <= 0.001 * wanted; }

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
    CHECK(is_near(*steady.number(metric::throughput), 128 / interval));
    const auto split = measured(times_of(interval, slower_by(noisy)));
    CHECK(split.verdict == sass::Verdict::unstable);
    for (const auto number : {metric::throughput, metric::interval, metric::saturates_at})
      CHECK_FALSE(split.number(number));
    CHECK(is_near(*split.number(metric::throughput_high), 128 / interval));
    CHECK(is_near(*split.number(metric::throughput_low), 128 / interval / (1 + noisy)));
  }
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
  CHECK(measured(times).note == "half of the launches gave 32 to 64 results per cycle");
  CHECK(measured(times, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16").note ==
        "half of the launches gave 1 to 2 warp instructions per cycle");
}

TEST_CASE("a record is judged again with the current limit; one without quartiles keeps its verdict") {
  auto record = measured(times_of(2, [](int, int launch) { return launch % 2 == 0 ? 1 : 2; }));
  const auto as_measured = record;
  read_again(record);
  CHECK(record == as_measured);
  record.set(metric::throughput_low, record.number(metric::throughput_high));
  read_again(record);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(metric::throughput) == 64.0);
  CHECK(record.note.empty());
  for (const auto number : {metric::throughput_low, metric::throughput_high}) record.set(number, {});
  read_again(record);
  CHECK(record.verdict == sass::Verdict::proven);
}

TEST_CASE("an opcode whose throughput is unstable has a row without one, unless a different form's is stable") {
  const auto templates = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";
  const ptx::LoadedCatalogue loaded{isa::load_catalogue({templates / "isa"}), ptx::load_skeletons(templates)};
  const auto split = measured(times_of(2, [](int, int launch) { return launch % 2 == 0 ? 1 : 2; }), "ld.global.u32");
  const auto steady = measured(times_of(2, [](int, int) { return 1; }), "ld.global.s32");
  const auto row_of = [&](const std::vector<results::Record>& records) {
    const auto opcodes = opcodes_measured(loaded, records);
    CHECK(plan_pairs(loaded, opcodes, 3).empty());
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
