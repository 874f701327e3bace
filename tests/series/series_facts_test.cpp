// SPDX-License-Identifier: Apache-2.0
#include "series/series_facts.h"

#include <algorithm>

#include "catch.h"
#include "named_axis.h"
#include "series/series_models.h"

using namespace ptxlat::series;
using ptxlat::results::Axis;
using ptxlat::results::Fact;
using ptxlat::results::FactVerdict;
using ptxlat::results::Series;
using Values = std::vector<std::optional<double>>;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// Values over x = 1, 2, 3 …
Series curve_of(const Values& values) {
  Axis axis{"x", "count", {}};
  for (std::size_t i = 1; i <= values.size(); ++i) axis.values.push_back(static_cast<double>(i));
  return {"latency", "cycles", {axis}, values};
}

FactRule rule_of(const std::string& model, const std::string& quantity = "a.b") {
  FactRule rule;
  rule.quantity = quantity;
  rule.model = model;
  rule.how = "a chase";
  return rule;
}

Fact fact_of(const FactRule& rule, const Series& series) {
  const auto facts = facts_of(rule, series);
  REQUIRE(facts.size() == 1);
  return facts.front();
}
Fact fact_of(const std::string& model, const Values& values) { return fact_of(rule_of(model), curve_of(values)); }

// The reason of a fact that has no value.
std::string reason_of(const Fact& fact) {
  CHECK(fact.verdict == FactVerdict::undetermined);
  CHECK(fact.value.empty());
  CHECK_FALSE(fact.low);
  CHECK_FALSE(fact.high);
  CHECK_THAT(fact.how, StartsWith("a chase; "));
  return fact.how.substr(std::min<std::size_t>(fact.how.size(), 9));
}
std::string reason_of(const std::string& model, const Values& values) { return reason_of(fact_of(model, values)); }

}  // namespace

TEST_CASE("a median is measured, with the spread of a few values as its range") {
  const auto fact = fact_of("median", {33, 40, 34});
  CHECK(fact.quantity == "a.b");
  CHECK(fact.value == "34");
  CHECK(fact.verdict == FactVerdict::measured);
  CHECK(fact.low == 33);
  CHECK(fact.high == 40);
  CHECK(fact.unit == "cycles");
  CHECK(fact.scope == "kind");
  CHECK(fact.condition.empty());
  CHECK(fact.how == "a chase; the median of 3 values");
  INFO("a value alone needs no words, and has what a rule allows for its range");
  auto rule = rule_of("median");
  rule.tolerance = 5;
  rule.least = 0;
  const auto alone = fact_of(rule, curve_of({200}));
  CHECK(alone.how == "a chase");
  CHECK(alone.low == 190);
  CHECK(alone.high == 210);
  rule.least = 30;
  CHECK(fact_of(rule, curve_of({200})).high == 230);
}

TEST_CASE("of many values the extremes are outliers and not the range of the median") {
  Values values(40, 100);
  values[7] = 900;
  CHECK(fact_of("median", values).high == 102);
}

TEST_CASE("the least and the greatest value have no spread of others about them") {
  const auto least = fact_of("minimum", {50, 33, 70});
  CHECK(least.value == "33");
  CHECK(least.high == 34);
  CHECK(least.how == "a chase; the least of 3 values");
  const auto most = fact_of("maximum", {50, 33, 70});
  CHECK(most.value == "70");
  CHECK(*most.low == Approx(68.6));
}

TEST_CASE("a rule may give its own unit and scope") {
  auto rule = rule_of("median");
  rule.unit = "B/clk";
  rule.scope = "card";
  CHECK(fact_of(rule, curve_of({1})).unit == "B/clk");
  CHECK(fact_of(rule, curve_of({1})).scope == "card");
}

TEST_CASE("a slope and an intercept that predicted the points held out are inferred") {
  const Values line{32, 34, 36, 38, 40, 42, 44};
  const auto slope = fact_of("slope", line);
  CHECK(slope.value == "2");
  CHECK(slope.verdict == FactVerdict::inferred);
  CHECK(*slope.low < 2);
  CHECK(*slope.high > 2);
  CHECK_THAT(slope.how, Contains("30 + 2 n, which predicted 3 of 3 held-out points"));
  const auto intercept = fact_of("intercept", line);
  CHECK(intercept.value == "30");
  CHECK(intercept.low == 29);
  CHECK(intercept.high == 31);
}

TEST_CASE("a line that nobody tested, or that missed a few points, is only measured") {
  CHECK(fact_of("slope", {32, 34, 36}).verdict == FactVerdict::measured);
  Values one_off{32, 34, 36, 38, 40, 42, 44, 46, 48};
  one_off[3] = 60;
  const auto fact = fact_of("slope", one_off);
  CHECK(fact.verdict == FactVerdict::measured);
  CHECK_THAT(fact.how, Contains("predicted 3 of 4"));
}

TEST_CASE("values that are not on a line, or fewer than two points, have no slope") {
  CHECK_THAT(reason_of("slope", {1, 50, 2, 90, 3, 10, 4}), StartsWith("not a straight line"));
  CHECK_THAT(reason_of("intercept", {1, 50, 2, 90, 3, 10, 4}), StartsWith("not a straight line"));
  CHECK(reason_of("slope", {32}) == "there are not two points for a line");
  INFO("a step is no line, although half of it is one");
  CHECK_THAT(reason_of("slope", {10, 10, 10, 10, 90, 90, 90, 90}), StartsWith("not a straight line"));
}

TEST_CASE("how many are in flight at once: up to the one that adds a quarter of the first value") {
  const auto fact = fact_of("overlap", {117, 128, 136, 144, 194, 198});
  CHECK(fact.value == "4");
  CHECK(fact.low == 4);
  CHECK(fact.unit == "cycles");
  CHECK(fact.verdict == FactVerdict::measured);
  CHECK(fact_of("overlap", {100, 205, 305}).value == "1");
  CHECK_THAT(reason_of("overlap", {400, 400, 400, 400}), StartsWith("none waits up to"));
}

TEST_CASE("a set that has one place too many misses as often as it has ways, and once more") {
  // 64 entries of 8 ways: 8 sets, 10 cycles for a hit, 90 more for a miss.
  std::vector<double> places, costs;
  for (double n = 56; n <= 80; n += 2) {
    const double missing = n <= 64 ? 0 : std::min(n, 9 * (n - 64));
    places.push_back(n);
    costs.push_back(10 + 90 * missing / n);
  }
  const auto curve = Curve{places, costs};
  CHECK(find_growth(curve, 5).value == 8);
  CHECK(find_growth(curve, 5).verdict == FactVerdict::inferred);
  CHECK(find_rise(curve, 5).value == Approx(90).margin(1));
  CHECK(count_between(curve, 5).value == 6);
  INFO("memory ends before all sets miss");
  const Curve cut{{places.begin(), places.end() - 5}, {costs.begin(), costs.end() - 5}};
  CHECK_FALSE(find_growth(cut, 5).value);
  CHECK_FALSE(find_rise(cut, 5).value);
  INFO("all are one set: nothing lies between");
  const Curve one{{14, 15, 16, 17, 18, 19}, {0, 1, 0, 11, 11, 11}};
  CHECK(count_between(one, 6).value == 0);
  CHECK(find_ways(one, 6).value == 16);
  CHECK_FALSE(find_growth(one, 6).value);
  INFO("a miss is a few cycles, and one less is still a miss");
  const Curve noisy{{14, 15, 16, 17, 18, 19, 20, 21, 22}, {0, 0, 0, 9, 10, 9, 11, 11, 11}};
  CHECK(count_between(noisy, 6).value == 0);
  CHECK(find_ways(noisy, 6).value == 16);
  INFO("half of them adaptive: no whole number of ways");
  auto odd = curve;
  for (double& cost : odd.y) cost = 10 + (cost - 10) * (cost < 60 ? 0.6 : 1);
  CHECK_FALSE(find_growth(odd, 5).value);
}

TEST_CASE("sharing and lowest are given by name") {
  Series series;
  series.axes = {{"sm", "", {0, 1, 2, 3}, {}}};
  FactRule rule;
  rule.quantity = "icache.l15_scope";
  rule.model = "sharing";
  rule.levels = {"sm", "tpc", "gpc"};
  rule.tolerance = 30;
  const auto scope = [&](std::vector<std::optional<double>> values) {
    series.values = std::move(values);
    return facts_of(rule, series).at(0).value;
  };
  CHECK(scope({100, 400, 390, 420}) == "sm");
  CHECK(scope({100, 110, 390, 420}) == "tpc");
  CHECK(scope({100, 110, 120, 420}) == "gpc");

  series.axes = {{"word", "", {0, 1}, {"lru", "fifo"}}};
  rule.model = "lowest";
  rule.least = 4;
  rule.tolerance = 2;
  CHECK(scope({256, 267}) == "lru");
  CHECK(scope({267, 256}) == "fifo");
  CHECK(scope({256, 259}).empty());
}

TEST_CASE("what differs, what is shared and what is lowest") {
  CHECK(fact_of("differs", {30, 30}).value == "0");
  CHECK(fact_of("differs", {30, 40}).value == "1");
  CHECK_THAT(reason_of("sharing", {100, 300, 310}), StartsWith("`levels` needs three names"));
  CHECK_THAT(reason_of("lowest", {10, 10.5}), Contains("are not apart"));
}

TEST_CASE("plateaus are levels in their order, and one that is missing is undetermined") {
  auto rule = rule_of("plateaus", "chase.{{level}}");
  rule.levels = {"l1", "", "dram", "disk"};
  const auto facts = facts_of(rule, curve_of({33, 33, 33, 150, 260, 261, 262, 262, 400, 700, 700, 710}));
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].quantity == "chase.l1");
  CHECK(facts[0].value == "33");
  CHECK(facts[0].low == 32);
  CHECK(facts[0].how == "a chase; level up to 3");
  CHECK(facts[1].quantity == "chase.dram");
  CHECK(facts[1].value == "700");
  CHECK(facts[1].high == 714);
  CHECK(facts[2].quantity == "chase.disk");
  CHECK(reason_of(facts[2]) == "there are 3 plateaus");
}

TEST_CASE("clusters are levels by their values, those without a name left out") {
  auto rule = rule_of("clusters", "l2.{{level}}");
  rule.levels = {"near", "far", ""};
  const auto facts = facts_of(rule, curve_of({260, 262, 261, 401, 400, 402, 262, 5000}));
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].quantity == "l2.near");
  CHECK(facts[0].value == "262");
  CHECK(facts[0].how == "a chase; the median of 4 of 8 values that lie together");
  CHECK(facts[1].quantity == "l2.far");
  CHECK(facts[1].value == "401");
  CHECK(facts[1].verdict == FactVerdict::measured);
}

TEST_CASE("values that do not fall apart have no clusters: equal ones, and those of one level with its noise") {
  auto rule = rule_of("clusters", "l2.{{level}}");
  rule.levels = {"near", "far"};
  const auto equal = facts_of(rule, curve_of({260, 260, 260, 260}));
  REQUIRE(equal.size() == 2);
  CHECK(equal[0].quantity == "l2.near");
  for (const auto& fact : equal) CHECK(reason_of(fact) == "the values do not fall apart");
  rule.levels = {"", "far"};
  rule.tolerance = 8;
  const auto noise = facts_of(rule, curve_of({260, 262, 261, 263, 260, 265, 264}));
  REQUIRE(noise.size() == 1);
  CHECK_THAT(reason_of(noise[0]), Contains("is not apart from the values below it"));
  CHECK(facts_of(rule, curve_of({260, 262, 261, 293, 290, 295, 294})).front().value == "294");
}

TEST_CASE("nearer: each remaining place is like the one or like the other, or there is a reason") {
  auto rule = rule_of("nearer", "l1.{{place}}_allocates");
  rule.like = "ca";
  rule.unlike = "nothing";
  rule.unit = "count";
  Series series{
      "latency", "cycles", {named("before", {"nothing", "ca", "cg", "nc", "store"})}, {260, 33, 258, 35, 140}};
  const auto facts = facts_of(rule, series);
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].quantity == "l1.cg_allocates");
  CHECK(facts[0].value == "0");
  CHECK(facts[0].unit == "count");
  CHECK(facts[1].quantity == "l1.nc_allocates");
  CHECK(facts[1].value == "1");
  CHECK(facts[1].low == 1);
  CHECK(facts[1].verdict == FactVerdict::measured);
  CHECK_THAT(reason_of(facts[2]), StartsWith("between the two"));
  series.values = {33, 33, 33, 33, 33};
  for (const auto& fact : facts_of(rule, series)) CHECK(reason_of(fact) == "ca and nothing do not differ");
  series.values = {260, std::nullopt, 33, std::nullopt, 33};
  for (const auto& fact : facts_of(rule, series))
    CHECK_THAT(reason_of(fact), StartsWith("the series has no value at "));
  CHECK(facts_of(rule, series).size() == 3);
}

TEST_CASE("nearer looks at the axis that has both places, whatever else varies") {
  auto rule = rule_of("nearer", "{{place}}");
  rule.like = "1";
  rule.unlike = "32";
  const Series series{
      "latency", "cycles", {named("bits", {"32", "64"}), {"degree", "", {0, 1, 32}}}, {33, 33, 90, 35, 35, 120}};
  const auto fact = fact_of(rule, series);
  CHECK(fact.quantity == "0");
  CHECK(fact.value == "1");
}

TEST_CASE("the last place is that of the last value") {
  const auto fact = fact_of("last", {1024, 1024, std::nullopt, 1024, std::nullopt});
  CHECK(fact.value == "4");
  CHECK(fact.low == 4);
  CHECK(fact.verdict == FactVerdict::measured);
  INFO("also where a single point ran, of an axis that is not the first");
  const Series series{
      "s", "", {named("mode", {"a", "b"}), {"bytes", "", {8, 16, 32}}}, {std::nullopt, 1, std::nullopt, 1, 1, 1}};
  auto rule = rule_of("last");
  rule.by = {"mode"};
  CHECK(facts_of(rule, series).at(0).value == "16");
}

TEST_CASE("a knee is the last place before the values leave, inferred where the rest stays away") {
  const auto fact = fact_of("knee", {33, 33, 33.5, 33, 90, 91, 120, 260});
  CHECK(fact.value == "4");
  CHECK(fact.verdict == FactVerdict::inferred);
  CHECK_THAT(fact.how, Contains("33 up to there, 90 after it, and 3 points further on"));
  INFO("nothing is left open between whole numbers that follow each other");
  CHECK(fact.low == 4);
  CHECK(fact.high == 4);
  auto wide = curve_of({33, 33, 90, 90, 90, 90});
  wide.axes[0].values = {1024, 2048, 4096, 8192, 16384, 32768};
  const auto between = fact_of(rule_of("knee"), wide);
  CHECK(between.value == "2048");
  CHECK(between.low == 2048);
  CHECK(between.high == 4096);
}

TEST_CASE("a knee is where it is though the very first value was disturbed") {
  auto rule = rule_of("knee");
  rule.least = 6;
  const auto fact = fact_of(rule, curve_of({5, 0, 2, 0, 10, 11, 10, 11}));
  CHECK(fact.value == "4");
  CHECK(fact.verdict == FactVerdict::inferred);
  INFO("one that leaves at once has no such three values");
  CHECK(fact_of(rule, curve_of({5, 20, 20, 20, 21})).value == "1");
}

TEST_CASE("a knee that few points confirm is only measured") {
  CHECK(fact_of("knee", {33, 33, 90, 91}).verdict == FactVerdict::measured);
  CHECK(reason_of("knee", {33, 33, 33.9, 33}) == "there is no knee up to 4");
}

TEST_CASE("where a later point is back, there was no knee") {
  // constant_immediate on an H200: 29.6 at 3584 and 4096 bytes, and 4.2 again at 5120.
  const auto fact = fact_of("knee", {4.2, 4.2, 4.2, 29.6, 29.6, 4.2, 24.0, 38.8});
  CHECK(fact.verdict == FactVerdict::undetermined);
  CHECK_THAT(fact.how, Contains("4.2 up to 3 and 29.6 after it, but 4.2 again at 6"));
  auto rule = rule_of("plateau_ends");
  rule.quantity = "cache.{{level}}_bytes";
  rule.levels = {"l1"};
  rule.least = 0.5;
  const auto end = facts_of(rule, curve_of({10, 10, 10, 20, 22, 20})).at(0);
  CHECK(end.value == "4");
  CHECK(end.low == 2.5);
  CHECK(end.high == 4.5);
  const auto back = facts_of(rule, curve_of({10, 10, 10, 20, 22, 10})).at(0);
  CHECK(back.value.empty());
  CHECK_THAT(back.how, Contains("10 up to 3, but again at 6"));
}

TEST_CASE("the ways of sets that begin to miss one after the other") {
  INFO("16 pages fit 4 sets of 4 ways: with 20, each set has one too many");
  Values laps(16, 5);
  for (const double value : {50, 100, 150, 200, 200, 200, 200}) laps.emplace_back(value);
  const auto fact = fact_of("ways", laps);
  CHECK(fact.value == "4");
  CHECK_THAT(fact.how, Contains("all miss from 20 on: 4 sets"));
  INFO("all sets at once: one set of 16");
  Values at_once(16, 5);
  at_once.insert(at_once.end(), 6, 200);
  CHECK(fact_of("ways", at_once).value == "16");
  INFO("ways that are not a whole number");
  laps.insert(laps.begin(), 5);
  CHECK_THAT(reason_of("ways", laps), StartsWith("4 pages until all miss, from 17 on"));
  CHECK(reason_of("ways", Values(20, 5)) == "there is no knee");
  INFO("one value that falls at the end is not where all miss");
  Values falls(16, 100);
  falls.emplace_back(20);
  CHECK(reason_of("ways", falls) == "the last values are not above the others");
}

TEST_CASE("a period is the first place that differs, if all its multiples do and nothing else") {
  Values values;
  for (int i = 1; i <= 20; ++i) values.emplace_back(i % 4 == 0 ? 60 : 33);
  const auto fact = fact_of("period", values);
  CHECK(fact.value == "4");
  CHECK(fact.low == 4);
  CHECK(fact.verdict == FactVerdict::inferred);
  CHECK_THAT(fact.how, Contains("a period that predicted 16 points"));
  values.resize(7);
  CHECK(fact_of("period", values).verdict == FactVerdict::measured);
  values.emplace_back(33);
  CHECK(reason_of("period", values) == "4 is the first, but not a period: 8");
  CHECK(reason_of("period", {33, 33, 33.5}) == "all values are alike");
}

TEST_CASE("facts are found for each value of the axes in `by`, which become their condition, sorted") {
  const Series series{"latency",
                      "cycles",
                      {named("operation", {"add", "cas"}), {"lanes", "count", {1, 2, 4}}},
                      {10, 12, 16, 20, 24, 32}};
  auto rule = rule_of("slope");
  rule.by = {"operation"};
  const auto slopes = facts_of(rule, series);
  REQUIRE(slopes.size() == 2);
  CHECK(slopes[0].condition == "operation=add");
  CHECK(slopes[0].value == "2");
  CHECK(slopes[1].condition == "operation=cas");
  CHECK(slopes[1].value == "4");
  rule = rule_of("median");
  rule.by = {"operation", "lanes"};
  const auto all = facts_of(rule, series);
  REQUIRE(all.size() == 6);
  CHECK(all[5].condition == "lanes=4 operation=cas");
  CHECK(all[5].value == "32");
}

TEST_CASE("an axis in the quantity's name distinguishes facts, and `where` selects values") {
  const Series series{
      "latency", "cycles", {named("path", {"ca", "cg"}), {"bytes", "bytes", {4096, 16384}}}, {33, 40, 260, 270}};
  auto rule = rule_of("median", "chase.{{path}}.l1");
  rule.where = {{"bytes", {"16384"}}};
  const auto facts = facts_of(rule, series);
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].quantity == "chase.ca.l1");
  CHECK(facts[0].value == "40");
  CHECK(facts[1].quantity == "chase.cg.l1");
  rule.where["path"] = {"cg"};
  CHECK(fact_of(rule, series).value == "270");
  rule.where["path"] = {"cv"};
  CHECK(facts_of(rule, series).empty());
}

TEST_CASE("a series without values gives every fact that was asked for, undetermined") {
  const Series empty{"s", "cycles", {named("before", {"nothing", "ca", "cg", "nc"})}, Values(4)};
  const std::string reason = "the series has no values there";
  for (const auto& model : fact_models()) {
    // Those with levels have several facts.
    if (model.needs == Needs::levels || model.name == "nearer" || model.name == "given") continue;
    INFO(model.name);
    CHECK(reason_of(fact_of(rule_of(std::string(model.name)), empty)) == reason);
  }
  for (const auto model : {"plateaus", "clusters"}) {
    auto rule = rule_of(model, "s.{{level}}");
    rule.levels = {"l1", "", "l2"};
    const auto facts = facts_of(rule, empty);
    REQUIRE(facts.size() == 2);
    CHECK(facts[0].quantity == "s.l1");
    CHECK(facts[1].quantity == "s.l2");
    CHECK(reason_of(facts[1]) == reason);
  }
  auto rule = rule_of("nearer", "s.{{place}}");
  rule.like = "ca";
  rule.unlike = "nothing";
  const auto facts = facts_of(rule, empty);
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].quantity == "s.cg");
  CHECK(facts[1].quantity == "s.nc");
  CHECK(reason_of(facts[1]) == reason);
}

TEST_CASE("of a single number without axes only values can be read off") {
  const Series number{"rate", "GB/s", {}, {4800}};
  CHECK(fact_of(rule_of("median"), number).value == "4800");
  for (const auto model : {"slope", "last", "knee", "ways", "period"})
    CHECK(reason_of(fact_of(rule_of(model), number)) == "the series has no axis");
}
