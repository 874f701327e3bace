// SPDX-License-Identifier: Apache-2.0
#include "infer/fetch.h"

#include "catch.h"

using namespace ptxlat::infer;
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
