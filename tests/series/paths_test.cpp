// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "named_axis.h"
#include "series/places.h"

using namespace ptxlat::series;
using Catch::Matchers::Contains;
using ptxlat::results::Axis;
using ptxlat::results::Fact;
using ptxlat::results::FactVerdict;
using ptxlat::results::Series;

namespace {

Axis counting(const std::string& name, std::size_t count) {
  Axis axis{name, "", {}, {}};
  for (std::size_t i = 0; i < count; ++i) axis.values.push_back(static_cast<double>(i));
  return axis;
}

// Four clauses under `orders` assignments of lanes: clause c begins at 10 + 50 × turn(order, c), takes 30 cycles, and
// all lanes go on together, or each behind its clause.
Series chain(std::size_t orders, const std::function<std::size_t(std::size_t, std::size_t)>& turn, bool meets) {
  Series series{"clock",
                "cycles",
                {counting("order", orders), counting("thread", 4), named("word", {"start", "end", "met"})},
                {}};
  for (std::size_t order = 0; order < orders; ++order) {
    for (std::size_t clause = 0; clause < 4; ++clause) {
      const double start = 10 + 50.0 * static_cast<double>(turn(order, clause));
      for (const double value : {start, start + 30, meets ? 250 : start + 40}) series.values.push_back(value);
    }
  }
  return series;
}

Fact path_fact(const std::string& model, const Series& series, const std::vector<std::string>& words = {}) {
  FactRule rule;
  rule.quantity = "a.b";
  rule.model = model;
  rule.how = "h";
  rule.like = "met";
  rule.unlike = "end";
  if (!words.empty()) rule.where["word"] = words;
  const auto facts = facts_of(rule, series);
  REQUIRE(facts.size() == 1);
  return facts.front();
}

}  // namespace

TEST_CASE("the order of clauses is a rule only if it holds whichever lanes take them") {
  const auto up = path_fact("path_order",
                            chain(
                                4, [](auto, auto c) { return c; }, true),
                            {"start"});
  CHECK(up.value == "first_to_last");
  CHECK(up.verdict == FactVerdict::inferred);
  CHECK_THAT(up.how, Contains("predicted 2 of 2 others"));
  CHECK(path_fact("path_order",
                  chain(
                      4, [](auto, auto c) { return 3 - c; }, true),
                  {"start"})
            .value == "last_to_first");
  const auto by_lane = [](std::size_t order, std::size_t c) { return order % 2 == 0 ? c : 3 - c; };
  CHECK(path_fact("path_order", chain(4, by_lane, true), {"start"}).verdict == FactVerdict::undetermined);
  const auto later = [](std::size_t order, std::size_t c) { return order < 2 ? c : 3 - c; };
  CHECK_THAT(path_fact("path_order", chain(4, later, true), {"start"}).how, Contains("predicts 0 of 2 others"));
}

TEST_CASE("steps are between neighbours in time, whatever their order") {
  const auto fact = path_fact("steps",
                              chain(
                                  3, [](auto, auto c) { return 3 - c; }, true),
                              {"start"});
  CHECK(fact.value == "50");
  CHECK(*fact.low <= 49);
}

TEST_CASE("lanes meet if they go on at the same time after the last has ended") {
  const auto in_turn = [](std::size_t, std::size_t c) { return c; };
  CHECK(path_fact("meeting", chain(2, in_turn, true)).value == "together");
  CHECK(path_fact("meeting", chain(2, in_turn, false)).value == "apart");
}

TEST_CASE("places with like values are named together") {
  Series series{"passed", "count", {named("word", {"outcome", "1", "2", "3", "4"})}, {1, 20100, 20080, 20090, 40200}};
  FactRule rule;
  rule.quantity = "a.b";
  rule.model = "together";
  rule.where["word"] = {"1", "2", "3", "4"};
  rule.least = 5000;
  rule.how = "h";
  CHECK(facts_of(rule, series).front().value == "1 2 3 | 4");
}

TEST_CASE("an outcome is passes or hangs, with its evidence") {
  const auto outcome = [](double value) { return path_fact("outcome", {"o", "count", {counting("x", 1)}, {value}}); };
  CHECK(outcome(1).value == "passes");
  CHECK(outcome(2).value == "hangs");
  CHECK_THAT(outcome(2).how, Contains("gave up"));
  CHECK(outcome(3).value == "hangs");
  CHECK_THAT(outcome(3).how, Contains("watchdog"));
  CHECK(outcome(4).verdict == FactVerdict::undetermined);
}
