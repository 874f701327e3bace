// SPDX-License-Identifier: Apache-2.0
#include "series/rounds.h"

#include <random>

#include "catch.h"
#include "named_axis.h"
#include "series/series_facts.h"

using namespace ptxlat::series;
using Catch::Matchers::Contains;
using ptxlat::results::FactVerdict;
using ptxlat::results::Series;

namespace {

using Values = std::vector<std::optional<double>>;

// Rounds of one curve, along an axis that counts from 1.
Series rounds(const std::vector<Values>& curves) {
  Series series{"s", "cycles", {{round_axis, "count", {}, {}}, {"n", "count", {}, {}}}, {}};
  for (std::size_t i = 0; i < curves.size(); ++i) series.axes[0].values.push_back(static_cast<double>(i + 1));
  for (std::size_t i = 0; i < curves[0].size(); ++i) series.axes[1].values.push_back(static_cast<double>(i + 1));
  for (const auto& curve : curves) series.values.insert(series.values.end(), curve.begin(), curve.end());
  return series;
}

FactRule rule_of(const char* model) {
  FactRule rule;
  rule.quantity = "a.fact";
  rule.model = model;
  rule.how = "an experiment";
  return rule;
}

}  // namespace

TEST_CASE("a fact that comes out the same in each round holds") {
  const Values queue = {4, 8, 12, 16, 20, 24, 28, 32, 90, 150, 210, 270, 330};
  const auto fact = facts_of(rule_of("queue"), rounds({queue, queue, queue})).at(0);
  CHECK(fact.value == "8");
  CHECK(fact.verdict == FactVerdict::inferred);
  CHECK_THAT(fact.how, Contains("the same in 3 rounds"));
  CHECK(fact.how.starts_with("an experiment"));
}

TEST_CASE("a fact that flickers is undetermined, and says what came out") {
  const Values eight = {4, 8, 12, 16, 20, 24, 28, 32, 90, 150, 210, 270, 330};
  const Values six = {4, 8, 12, 16, 20, 24, 84, 144, 204, 264, 324, 384, 444};
  const Values none = {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52};
  const auto other = facts_of(rule_of("queue"), rounds({eight, six, eight})).at(0);
  CHECK(other.verdict == FactVerdict::undetermined);
  CHECK(other.value.empty());
  CHECK_FALSE((other.low || other.high));
  CHECK_THAT(other.how, Contains("not the same in 3 rounds: 8, 6, 8"));
  const auto missing = facts_of(rule_of("queue"), rounds({eight, none, none})).at(0);
  CHECK(missing.verdict == FactVerdict::undetermined);
  CHECK_THAT(missing.how, Contains("not the same in 3 rounds: 8, undetermined, undetermined"));
  CHECK_THAT(missing.how, Contains("none waits up to 13"));
  INFO("a round that noise spoilt contradicts nothing");
  const auto most = facts_of(rule_of("queue"), rounds({eight, none, eight})).at(0);
  CHECK(most.value == "8");
  CHECK(most.verdict == FactVerdict::inferred);
  CHECK_THAT(most.how, Contains("the same in 2 of 3 rounds"));
}

TEST_CASE("one round in nine may say something else, but not one in five") {
  std::vector<Values> curves(5, Values{100, 100, 100});
  curves.back() = {200, 200, 200};
  CHECK(facts_of(rule_of("median"), rounds(curves)).at(0).value.empty());
  curves.insert(curves.begin(), 4, Values{100, 100, 100});
  const auto fact = facts_of(rule_of("median"), rounds(curves)).at(0);
  CHECK(fact.value == "100");
  CHECK_THAT(fact.how, Contains("the same in 8 of 9 rounds"));
}

TEST_CASE("a fact of which noise spoils one round in sixteen is there in every run") {
  const Values eight = {4, 8, 12, 16, 20, 24, 28, 32, 90, 150, 210, 270, 330};
  const Values none = {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52};
  std::mt19937_64 random(1);
  int lost = 0;
  constexpr int runs = 500;
  for (int run = 0; run < runs; ++run) {
    std::vector<Values> curves;
    for (int round = 0; round < 9; ++round) curves.push_back(random() % 16 == 0 ? none : eight);
    lost += facts_of(rule_of("queue"), rounds(curves)).at(0).value.empty() ? 1 : 0;
  }
  CHECK(lost <= 2);
}

TEST_CASE("rounds agree within the range that a repetition may have, and the middle one counts") {
  const auto close = facts_of(rule_of("median"), rounds({{100, 100, 100}, {102, 102, 102}, {101, 101, 101}})).at(0);
  CHECK(close.value == "101");
  CHECK(close.verdict == FactVerdict::measured);
  CHECK(facts_of(rule_of("median"), rounds({{100, 100, 100}, {112, 112, 112}, {101, 101, 101}})).at(0).value.empty());
  INFO("words must be equal");
  CHECK(facts_of(rule_of("outcome"), rounds({{1}, {1}})).at(0).value == "passes");
  CHECK(facts_of(rule_of("outcome"), rounds({{1}, {3}})).at(0).value.empty());
}

TEST_CASE("the weakest verdict of all rounds is that of the fact") {
  const Values confirmed = {33, 33, 90, 91, 92, 93}, few = {33, 33, 90, 91, std::nullopt, std::nullopt};
  CHECK(facts_of(rule_of("knee"), rounds({confirmed, confirmed})).at(0).verdict == FactVerdict::inferred);
  CHECK(facts_of(rule_of("knee"), rounds({confirmed, few})).at(0).verdict == FactVerdict::measured);
}

TEST_CASE(
    "a fact that noise makes in some launches is undetermined in nearly all runs, not now one value and now another") {
  // A knee at 8 or at 9, as a coin falls: one round alone would publish either.
  std::mt19937_64 random(1);
  std::size_t published = 0;
  constexpr int runs = 200;
  for (int run = 0; run < runs; ++run) {
    std::vector<Values> curves;
    for (int round = 0; round < 5; ++round) {
      const int knee = 8 + static_cast<int>(random() % 2);
      Values curve;
      for (int i = 1; i <= 16; ++i) curve.push_back(i <= knee ? 10 : 40);
      curves.push_back(std::move(curve));
    }
    published += facts_of(rule_of("knee"), rounds(curves)).at(0).value.empty() ? 0 : 1;
  }
  CHECK(published < runs / 8);
}

TEST_CASE("a series without rounds is read as it is") {
  auto series = rounds({{1, 2, 3}});
  series.axes.erase(series.axes.begin());
  CHECK(rounds_of(series) == std::vector{series});
  CHECK(facts_of(rule_of("median"), series).at(0).how == "an experiment; the median of 3 values");
}
