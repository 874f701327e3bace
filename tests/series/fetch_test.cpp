// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "series/issue_rules.h"

using namespace ptxlat::series;
using Catch::Matchers::Contains;
using ptxlat::results::FactVerdict;

namespace {

// Instructions of 16 bytes; the first of each line is late, as far as `is_late` says so.
Curve fetched(
    double line, double first, const std::function<bool(int)>& is_late = [](int) { return true; }) {
  Curve curve;
  int number = 0;
  for (int i = 0; i < 160; ++i) {
    const double at = 16.0 * i;
    const bool begins = std::fmod(at - first + 64 * line, line) == 0;
    curve.x.push_back(at);
    curve.y.push_back(begins && is_late(number) ? 40 : 2 + i % 2);
    number += begins ? 1 : 0;
  }
  return curve;
}

}  // namespace

TEST_CASE("the size of a line of code is the distance of late instructions, wherever the first line begins") {
  for (const double line : {32, 64, 128, 256}) {
    for (const double first : {0, 16, 48}) {
      const auto found = find_spacing(fetched(line, first), 8);
      INFO(line << " from " << first << ": " << found.more);
      REQUIRE(found.value);
      CHECK(*found.value == line);
      CHECK(found.verdict == FactVerdict::inferred);
    }
  }
  INFO("prefetched lines are not late");
  CHECK(*find_spacing(fetched(64, 0, [](int n) { return n % 3 != 1; }), 8).value == 64);
}

TEST_CASE("without late instructions, or with late ones anywhere, nothing is known of lines") {
  CHECK_THAT(find_spacing(fetched(64, 0, [](int) { return false; }), 8).more, Contains("0 of 160 values stand out"));
  auto curve = fetched(128, 0);
  curve.y[37] = 90;
  CHECK_FALSE(find_spacing(curve, 8).value == 128);
}

TEST_CASE("who disturbs whom says what is shared") {
  FactRule rule;
  rule.levels = {"sm", "tpc", "gpc", "gpu"};
  const auto word_of = [&](std::size_t disturbing) {
    Curve curve;
    for (std::size_t i = 0; i < 132; ++i) {
      curve.x.push_back(static_cast<double>(i));
      curve.y.push_back(i > 0 && i <= disturbing ? 5.2 : 2.1);
    }
    return find_disturbed(rule, curve, 0.3).word;
  };
  CHECK(word_of(0) == "sm");
  CHECK(word_of(1) == "tpc");
  CHECK(word_of(15) == "gpc");
  CHECK(word_of(131) == "gpu");
}

TEST_CASE("the ways of a cache are as many targets as fit at a distance of one way or more") {
  using ptxlat::results::Axis;
  for (const int ways : {4, 8, 12, 16}) {
    for (const int way_bytes : {1024, 2048, 4096, 8192}) {
      ptxlat::results::Series series{
          "lap", "cycles", {Axis{"stride", "bytes", {1024, 2048, 4096, 8192}, {}}, Axis{"visited", "", {}, {}}}, {}};
      for (int n = 1; n <= 48; ++n) series.axes[1].values.push_back(n);
      for (const double stride : series.axes[0].values) {
        // Targets are spread over the sets that the stride reaches; an overfull set misses with all its targets.
        const int sets = std::max(1, way_bytes / static_cast<int>(stride));
        for (int n = 1; n <= 48; ++n) {
          double lap = 0;
          for (int set = 0; set < sets; ++set) {
            const int in_set = n / sets + (set < n % sets ? 1 : 0);
            lap += in_set * (in_set > ways ? 300 : 22);
          }
          series.values.push_back(lap);
        }
      }
      FactRule rule;
      rule.quantity = "a.ways";
      rule.model = "stride_ways";
      rule.least = 30;
      rule.how = "h";
      const auto fact = facts_of(rule, series).front();
      INFO(ways << " ways of " << way_bytes);
      CHECK(fact.value == std::to_string(ways));
      CHECK(fact.verdict == FactVerdict::inferred);
    }
  }
}
