// SPDX-License-Identifier: Apache-2.0
#include "series/series_models.h"

#include <random>

#include "catch.h"

using namespace ptxlat::series;

namespace {

// y = a + b x at x = 1, 2, 3 …
Curve straight(double a, double b, int points) {
  Curve curve;
  for (int i = 1; i <= points; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(a + b * i);
  }
  return curve;
}

Curve curve_through(const std::vector<double>& values) {
  Curve curve = straight(0, 0, static_cast<int>(values.size()));
  curve.y = values;
  return curve;
}

}  // namespace

TEST_CASE("the median is the middle value, the upper of two, and 0 of none") {
  CHECK(ptxlat::median_of({9, 1, 5}) == 5);
  CHECK(ptxlat::median_of({9, 1, 5, 7}) == 7);
  CHECK(ptxlat::median_of({}) == 0);
}

TEST_CASE("a line is fitted to every second point and to the last, and predicts the others") {
  const auto line = line_through(straight(30, 2, 9), 0.02, 0);
  REQUIRE(line);
  CHECK(line->a == Approx(30));
  CHECK(line->b == Approx(2));
  CHECK(line->low == Approx(2));
  CHECK(line->high == Approx(2));
  CHECK(line->held_out == 4);
  CHECK(line->misses == 0);
}

TEST_CASE("a point that is held out does not move the line, and counts as a miss") {
  auto curve = straight(30, 2, 9);
  curve.y[3] = 100;
  const auto line = line_through(curve, 0.02, 0);
  REQUIRE(line);
  CHECK(line->b == Approx(2));
  CHECK(line->misses == 1);
  INFO("the halves' lines say how far the slope may be off");
  CHECK(line->high > 2.5);
  CHECK(line_through(curve, 0.02, 62)->misses == 0);
  CHECK(line_through(curve, 0.61, 0)->misses == 1);
  CHECK(line_through(curve, 0.63, 0)->misses == 0);
}

TEST_CASE("none of three points is held out, and one point, or several at one place, have no line") {
  const auto line = line_through(straight(1, 3, 3), 0.02, 0);
  REQUIRE(line);
  CHECK(line->b == Approx(3));
  CHECK(line->held_out == 0);
  CHECK(line_through(straight(1, 3, 4), 0.02, 0)->held_out == 1);
  CHECK_FALSE(line_through(straight(1, 3, 1), 0.02, 0));
  CHECK_FALSE(line_through({}, 0.02, 0));
  CHECK_FALSE(line_through({{5, 5, 5}, {1, 2, 3}}, 0.02, 0));
}

TEST_CASE("plateaus are runs of three or more near their median, and know where they end") {
  const auto found = plateaus_of(curve_through({33, 33, 34, 33, 90, 150, 260, 262, 261, 262}), 0.05);
  REQUIRE(found.size() == 2);
  CHECK(found[0].value == 33);
  CHECK(found[0].low == 33);
  CHECK(found[0].high == 34);
  CHECK(found[0].last_x == 4);
  CHECK(found[1].value == 262);
  CHECK(found[1].last_x == 10);
}

TEST_CASE("two equal values are not a plateau, and neither is a slope") {
  CHECK(plateaus_of(curve_through({10, 10, 20, 20, 40, 40}), 0.02).empty());
  CHECK(plateaus_of(curve_through({10, 11, 12, 13, 14, 15}), 0.02).empty());
  CHECK(plateaus_of({}, 0.02).empty());
  INFO("values just inside and just outside of what is allowed");
  CHECK(plateaus_of(curve_through({98, 100, 102}), 0.02).size() == 1);
  CHECK(plateaus_of(curve_through({97.9, 100, 102}), 0.02).empty());
}

TEST_CASE("a plateau may lie at zero or below") {
  CHECK(plateaus_of(curve_through({0, 0, 0}), 0.02).size() == 1);
  const auto below = plateaus_of(curve_through({-100, -101, -100}), 0.02);
  REQUIRE(below.size() == 1);
  CHECK(below[0].value == -100);
}

TEST_CASE("clusters are what lies together, in ascending order, whatever the order of the values") {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) {
    values.push_back(400 + i % 3);
    values.push_back(260 + i % 2);
    if (i % 4 == 0) values.push_back(900);
  }
  const auto found = clusters_of(values, 3);
  REQUIRE(found.size() == 3);
  CHECK(found[0].median == 261);
  CHECK(found[0].size == 40);
  CHECK(found[1].median == 401);
  CHECK(found[1].low == 400);
  CHECK(found[1].high == 402);
  CHECK(found[2].median == 900);
  CHECK(found[2].size == 10);
}

TEST_CASE("equal values are in one cluster, and are not more than one") {
  CHECK(clusters_of({5, 5, 5, 5}, 2).empty());
  const auto one = clusters_of({5, 5, 5, 5}, 1);
  REQUIRE(one.size() == 1);
  CHECK(one[0].median == 5);
  CHECK(one[0].size == 4);
  INFO("equal values are never torn apart");
  const auto two = clusters_of({5, 5, 5, 5, 5, 5, 5, 6}, 2);
  REQUIRE(two.size() == 2);
  CHECK(two[0].size == 7);
  CHECK(clusters_of({5, 6, 5, 6}, 3).empty());
}

TEST_CASE("clusters of too few values, or none of many, are empty") {
  CHECK(clusters_of({}, 1).empty());
  CHECK(clusters_of({1, 2}, 3).empty());
  CHECK(clusters_of({1, 2}, 0).empty());
}

TEST_CASE("an outlier takes its own cluster, so that one more is needed for it") {
  std::vector<double> values(50, 100);
  values.insert(values.end(), 50, 200);
  values.push_back(5000);
  const auto three = clusters_of(values, 3);
  REQUIRE(three.size() == 3);
  CHECK(three[0].median == 100);
  CHECK(three[1].median == 200);
  CHECK(three[2].size == 1);
  CHECK(clusters_of(values, 2)[1].median == 5000);
}

TEST_CASE("a cluster's range leaves out a twentieth of its values on each side") {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(1000 + i);
  values.push_back(1);
  const auto found = clusters_of(values, 2);
  REQUIRE(found.size() == 2);
  CHECK(found[1].low == 1005);
  CHECK(found[1].high == 1095);
}

TEST_CASE("clusters are those of the least variance, as trying every split finds them") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(static_cast<double>(random() % 40));
    std::sort(values.begin(), values.end());
    const auto variance = [&](std::size_t from, std::size_t to) {
      double mean = 0, sum = 0;
      for (auto i = from; i < to; ++i) mean += values[i] / static_cast<double>(to - from);
      for (auto i = from; i < to; ++i) sum += (values[i] - mean) * (values[i] - mean);
      return sum;
    };
    double least = 1e9;
    for (std::size_t split = 1; split < values.size(); ++split) {
      if (values[split] != values[split - 1])
        least = std::min(least, variance(0, split) + variance(split, values.size()));
    }
    const auto found = clusters_of(values, 2);
    REQUIRE(found.size() == 2);
    CHECK(variance(0, found[0].size) + variance(found[0].size, values.size()) == Approx(least));
  }
}
