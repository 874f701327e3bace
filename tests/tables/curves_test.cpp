// SPDX-License-Identifier: Apache-2.0
#include "tables/curves.h"

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

results::Fact fact(const std::string& quantity, const std::string& condition, double value, double spread,
                   const std::string& unit) {
  return {quantity, condition, std::to_string(static_cast<int>(value)), value - spread, value + spread,
          unit,     "kind",    results::FactVerdict::inferred,          "a fit"};
}

}  // namespace

TEST_CASE("a series is drawn along the axis with the most values, a curve for each of the others'") {
  const results::Series series{
      "rate", "B/clk/SM", {{"bits", "", {32, 64}}, {"warps", "", {1, 2, 4}}}, {1, 2, 3, 4, std::nullopt, 6}};
  CHECK(main_axis(series)->name == "warps");
  const auto curves = curves_of(series);
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].condition == "bits=32");
  CHECK(curves[1].condition == "bits=64");
  REQUIRE(curves[1].points.size() == 3);
  CHECK(curves[1].points[0].at == 1);
  CHECK(curves[1].points[0].value == 4.0);
  CHECK_FALSE(curves[1].points[1].value);
}

TEST_CASE("the other axes of a curve are in order") {
  const results::Series series{"x", "", {{"a", "", {1}}, {"b", "", {0.5}}, {"c", "", {1, 2}}}, {7, 8}};
  const auto curves = curves_of(series);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].condition == "a=1 b=0.5");
}

TEST_CASE("an axis of names stands in a curve's condition by its names, as in the conditions of facts") {
  const results::Series series{"latency",
                               "cycles",
                               {{"operation", "", {0, 1}, {"add", "cas"}}, {"lanes", "", {1, 2, 4}}},
                               {1, 2, 3, 20, 21, 22}};
  const auto curves = curves_of(series);
  REQUIRE(curves.size() == 2);
  CHECK(curves[1].condition == "operation=cas");
  CHECK(coordinate_text(series.axes[0], 1) == "cas");
  CHECK(coordinate_text(series.axes[1], 4) == "4");
  results::Record record;
  record.series = {series};
  record.facts = {fact("atomic.latency", "operation=cas", 21, 1, "cycles")};
  const auto marks = marks_of(record, series);
  CHECK(predicting(marks, curves[1], curves[1].points[0]) != nullptr);
  CHECK(predicting(marks, curves[0], {1, 21.0}) == nullptr);
}

TEST_CASE("a series without axes has no curve") {
  const results::Series series{"x", "cycles", {}, {7}};
  CHECK(main_axis(series) == nullptr);
  CHECK(curves_of(series).empty());
}

TEST_CASE("facts in the unit of the values are levels, those in the axis' unit are edges") {
  results::Record record;
  record.series = {{"latency", "cycles", {{"bytes", "bytes", {1024, 4096}}}, {32, 280}}};
  record.facts = {fact("x.hit", "", 32, 1, "cycles"), fact("x.bytes", "", 2048, 0, "bytes"),
                  fact("x.ways", "", 4, 0, "count"), fact("x.policy", "", 1, 0, "text")};
  record.facts[3].value = "lru";
  const auto marks = marks_of(record, record.series[0]);
  REQUIRE(marks.levels.size() == 1);
  CHECK(marks.levels[0].fact->quantity == "x.hit");
  REQUIRE(marks.edges.size() == 1);
  CHECK(marks.edges[0].fact->quantity == "x.bytes");
}

TEST_CASE("a quantity that names a series is about that one alone") {
  results::Record record;
  record.series = {{"ca", "cycles", {{"bytes", "bytes", {1024}}}, {32}},
                   {"cg", "cycles", {{"bytes", "bytes", {1024}}}, {280}}};
  record.facts = {fact("chase.ca.l1", "", 32, 1, "cycles"), fact("chase.any", "", 50, 1, "cycles")};
  CHECK(marks_of(record, record.series[0]).levels.size() == 2);
  REQUIRE(marks_of(record, record.series[1]).levels.size() == 1);
  CHECK(marks_of(record, record.series[1]).levels[0].fact->quantity == "chase.any");
}

TEST_CASE("a point is predicted by the nearest level that has it in its range and may hold there") {
  results::Record record;
  record.series = {
      {"latency", "cycles", {{"path", "", {1, 2}}, {"bytes", "bytes", {1, 2, 3}}}, {31, 36, 90, 31, 36, 90}}};
  record.facts = {fact("x.near", "path=1", 32, 5, "cycles"), fact("x.far", "", 38, 10, "cycles")};
  const auto marks = marks_of(record, record.series[0]);
  const auto curves = curves_of(record.series[0]);
  const auto at = [&](std::size_t curve, std::size_t point) {
    const auto* mark = predicting(marks, curves[curve], curves[curve].points[point]);
    return mark ? mark->fact->quantity : "none";
  };
  CHECK(at(0, 0) == "x.near");
  CHECK(at(0, 1) == "x.far");
  CHECK(at(0, 2) == "none");
  CHECK(at(1, 0) == "x.far");
}

TEST_CASE("conditions are compared pair by pair") {
  CHECK(has_condition("bits=64 warps=8", "warps=8"));
  CHECK(has_condition("bits=64", ""));
  CHECK_FALSE(has_condition("warps=80", "warps=8"));
  CHECK(may_hold_together("bits=64 warps=8", "bits=64 ctas=1"));
  CHECK_FALSE(may_hold_together("bits=64", "bits=32"));
  CHECK(may_hold_together("bits=64", "subbits=32"));
}
