// SPDX-License-Identifier: Apache-2.0

// How warps are issued, inferred on invented multiprocessors.
#include "series/issue.h"

#include <functional>
#include <random>

#include "catch.h"
#include "named_axis.h"
#include "series/issue_rules.h"
#include "series/series_facts.h"
#include "simulated_sm.h"

using namespace ptxlat::series;
using Catch::Matchers::Contains;
using ptxlat::results::Axis;
using ptxlat::results::Fact;
using ptxlat::results::FactVerdict;
using ptxlat::results::Series;

namespace {

FactRule issue_rule(const std::string& model) {
  FactRule rule;
  rule.quantity = "a.b";
  rule.model = model;
  rule.how = "an experiment";
  return rule;
}
FactRule issue_rule(const std::string& model, const std::string& like, const std::string& unlike) {
  auto rule = issue_rule(model);
  rule.like = like;
  rule.unlike = unlike;
  return rule;
}

Fact issue_fact(const FactRule& rule, const Series& series) {
  const auto facts = facts_of(rule, series);
  REQUIRE(facts.size() == 1);
  return facts.front();
}

Fact policy_of(const Series& series) { return issue_fact(issue_rule("scheduling"), series); }

// The time at which each of 1 to `most` instructions has been issued into a queue.
Series queue_series(int depth, double issue, double service, int most) {
  Series series{"issued", "cycles", {Axis{"instructions", "count", {}, {}}}, {}};
  std::vector<double> begins;  // when the unit takes each
  double at = 0;
  for (int i = 0; i < most; ++i) {
    // A place is free when the unit has taken the one that had it.
    if (i > depth) at = std::max(at, begins[static_cast<std::size_t>(i - depth - 1)]);
    begins.push_back(begins.empty() ? at : std::max(at, begins.back() + service));
    at += issue;
    series.axes[0].values.push_back(i + 1);
    series.values.emplace_back(at + 2);
  }
  return series;
}

// A load of 100 cycles and a chain of n multiplications after it.
Series order_series(double (*short_end)(double n), double (*long_end)(double n)) {
  Series series{"done", "cycles", {Axis{"short", "count", {0, 1, 2, 4, 8}, {}}, named("until", {"short", "long"})}, {}};
  for (const double n : series.axes[0].values) {
    series.values.emplace_back(short_end(n));
    series.values.emplace_back(long_end(n));
  }
  return series;
}

struct Branches {
  double taken = 8, not_taken = 3, meeting = 17;
  double slot = 1;  // cycles of an instruction that is predicated off
};
Series branch_series(const Branches& machine) {
  Series series{"time",
                "cycles",
                {named("kind", {"straight", "predicated", "not_taken", "taken", "meeting_taken"}),
                 Axis{"skipped", "count", {12, 16, 20, 24, 28}, {}}},
                {}};
  const double around = 15;
  for (const double n : series.axes[1].values) series.values.emplace_back(around + n);
  for (const double n : series.axes[1].values) series.values.emplace_back(around + machine.slot * n);
  for (const double n : series.axes[1].values) series.values.emplace_back(around + machine.not_taken + n);
  for (std::size_t i = 0; i < 5; ++i) series.values.emplace_back(around + machine.taken);
  for (std::size_t i = 0; i < 5; ++i) series.values.emplace_back(around + machine.taken + machine.meeting);
  return series;
}

// Clocks that a warp reads after a barrier: one every two cycles until it has to fetch. `held` says how many come in
// time where the code begins `shift` instructions later.
Series buffer_series(const std::function<int(int shift)>& held, double fetch, int shifts = 12) {
  Series series{"clock",
                "cycles",
                {named("code", {"kept", "evicted"}), Axis{"shift", "count", {}, {}}, Axis{"read", "", {}, {}}},
                {}};
  for (int shift = 0; shift < shifts; ++shift) series.axes[1].values.push_back(shift);
  for (int read = 0; read < 32; ++read) series.axes[2].values.push_back(read);
  for (const bool is_evicted : {false, true}) {
    for (int shift = 0; shift < shifts; ++shift) {
      for (int read = 0; read < 32; ++read)
        series.values.emplace_back(90 + 2 * read + (is_evicted && read >= held(shift) ? fetch : 0));
    }
  }
  return series;
}

}  // namespace

TEST_CASE("the modulus of warps that share a scheduler is recovered, whatever it is") {
  for (const std::size_t modulus : {1, 2, 3, 4, 8}) {
    for (const char* policy : {"greedy_oldest", "round_robin"}) {
      SimulatedSm sm{.modulus = modulus, .policy = policy};
      auto rule = issue_rule("period");
      rule.tolerance = 30;
      rule.least = 0.1;
      const auto fact = issue_fact(rule, pair_series(sm));
      INFO(modulus);
      CHECK(fact.value == std::to_string(modulus));
      CHECK(fact.verdict == FactVerdict::inferred);
    }
  }
}

TEST_CASE("warps that share by a rule other than a modulus have none") {
  auto series = pair_series({.modulus = 4});
  series.values[4 * 9 + 1] = series.values[0].value() * 2;  // distance 9 too, of warp 1
  CHECK(issue_fact(issue_rule("period"), series).verdict == FactVerdict::undetermined);
}

TEST_CASE("a scheduler's policy is recovered from when its warps start and end") {
  for (const auto& rule : scheduling_rules()) {
    const auto fact = policy_of(policy_series({.policy = rule.name}));
    INFO(rule.name);
    CHECK(fact.value == rule.name);
    CHECK(fact.verdict == FactVerdict::inferred);
    CHECK_FALSE(fact.low);
    CHECK_THAT(fact.how, Contains("predicted 12 others"));
  }
}

TEST_CASE("an unknown policy is undetermined, with the observations") {
  const auto fact = policy_of(policy_series({.policy = "greedy_oldest"}, true));
  CHECK(fact.verdict == FactVerdict::undetermined);
  CHECK_THAT(fact.how, Contains("let go"));
}

TEST_CASE("a rule is accepted if it is the only one left, and holds on the runs that it was not chosen by") {
  std::vector<ScheduledRun> runs(6, {{2, 0, 1}, {2, 0, 1}, false});
  CHECK(find_scheduling(runs).name.empty());
  CHECK(find_scheduling(runs).why == "greedy_oldest and greedy_longest_waiting predict the same");
  runs[2] = {{2, 1, 0}, {2, 1, 0}, false};
  CHECK(find_scheduling(runs).name == "greedy_longest_waiting");
  CHECK(find_scheduling(runs).predicted == 3);
  runs[3] = {{2, 1, 0}, {2, 0, 1}, false};
  CHECK(find_scheduling(runs).why == "greedy_longest_waiting failed on a run held out");
  runs.resize(3);
  CHECK(find_scheduling(runs).why == "3 runs are too few");
}

TEST_CASE("how many instructions a scheduler issues in a clock, and whether ever two") {
  std::mt19937_64 random(5);
  for (int machine = 0; machine < 40; ++machine) {
    const SimulatedSm sm{.width = machine % 2 + 1, .intervals = {1.0 + machine % 3, 1.0 + machine % 4}};
    const double pipes = std::max({1 / sm.intervals[0], 1 / sm.intervals[1], 0.0});
    // Half of either, or three quarters of the first.
    const double both = 1 / std::max(0.5 * sm.intervals[0], 0.5 * sm.intervals[1]);
    const double more = 1 / std::max(0.75 * sm.intervals[0], 0.25 * sm.intervals[1]);
    const double best = std::min<double>(sm.width, std::max({pipes, both, more}));
    const auto series = rate_series(sm, random());
    const auto rate = issue_fact(issue_rule("best_rate"), series);
    INFO(machine);
    CHECK(std::stod(rate.value) == Approx(best).epsilon(0.03));
    CHECK(rate.verdict == FactVerdict::inferred);
    CHECK(issue_fact(issue_rule("exceeds_one"), series).value == (best > 1.1 ? "1" : "0"));
  }
}

TEST_CASE("curves that are not straight give no rate") {
  auto series = rate_series({}, 1);
  for (std::size_t i = 0; i < series.values.size(); i += 2) *series.values[i] *= 1.5;
  CHECK(issue_fact(issue_rule("best_rate"), series).verdict == FactVerdict::undetermined);
  CHECK(issue_fact(issue_rule("exceeds_one"), series).verdict == FactVerdict::undetermined);
}

TEST_CASE("the depth of a queue: what a warp issues before it waits") {
  for (const int depth : {5, 8, 13, 29}) {
    for (const double service : {32.0, 64.0, 500.0}) {
      const auto series = queue_series(depth, 2, service, 60);
      // One more is with the unit, and while it fills it also empties.
      const double expected = (depth + 1) * service / (service - 2);
      auto rule = issue_rule("queue");
      const auto fact = issue_fact(rule, series);
      INFO(depth << " " << service);
      CHECK(std::abs(std::stod(fact.value) - expected) <= 1);
      CHECK(fact.verdict == FactVerdict::inferred);
    }
  }
  const auto never = issue_fact(issue_rule("queue"), queue_series(8, 8, 8, 40));
  CHECK(never.verdict == FactVerdict::undetermined);
  CHECK_THAT(never.how, Contains("none waits up to 40"));
  INFO("one that is early, as the last but one is, does not make the next one late");
  auto early = queue_series(8, 8, 8, 40);
  early.values[37] = *early.values[37] - 30;
  CHECK(issue_fact(issue_rule("queue"), early).verdict == FactVerdict::undetermined);
}

TEST_CASE("no queue is read off a curve that its first line does not predict") {
  // Special functions of two warps on an H200: each takes twice the interval from the first on, and one is early.
  Series series{"issued", "cycles", {Axis{"instructions", "count", {}, {}}}, {}};
  for (const int cycles :
       {37,  51,  63,  75,  94,  105, 125, 142, 156, 178, 197, 214, 229, 251, 269, 287,  301,  322, 341, 358,
        373, 395, 412, 431, 445, 467, 485, 503, 517, 539, 557, 575, 589, 611, 629, 647,  665,  683, 701, 719,
        733, 755, 738, 791, 808, 826, 844, 862, 880, 898, 898, 935, 953, 970, 988, 1006, 1021, 1042}) {
    series.axes[0].values.push_back(static_cast<double>(series.values.size() + 1));
    series.values.push_back(cycles);
  }
  const auto fact = issue_fact(issue_rule("queue"), series);
  CHECK(fact.verdict == FactVerdict::undetermined);
  CHECK_THAT(fact.how, Contains("leaves before"));
}

TEST_CASE("a queue between whole steps of the axis has the next step for its range") {
  auto series = queue_series(20, 4, 400, 60);
  Series every_third{"issued", "cycles", {Axis{"instructions", "count", {}, {}}}, {}};
  for (std::size_t i = 2; i < 60; i += 3) {
    every_third.axes[0].values.push_back(series.axes[0].values[i]);
    every_third.values.push_back(series.values[i]);
  }
  const auto fact = issue_fact(issue_rule("queue"), every_third);
  CHECK(fact.value == "21");
  CHECK(fact.high == 23);
}

TEST_CASE("what comes second overtakes where instructions complete out of order") {
  const auto rule = issue_rule("overtakes", "short", "long");
  INFO("each is waited for on its own");
  CHECK(issue_fact(rule, order_series([](double n) { return 20 + 4 * n; }, [](double) { return 100.0; })).value == "1");
  INFO("results are given up in order");
  CHECK(issue_fact(rule, order_series([](double n) { return 100 + n; }, [](double n) { return 101 + n; })).value ==
        "0");
  INFO("the load was issued behind the chain, so that nothing was overtaken");
  CHECK(
      issue_fact(rule, order_series([](double n) { return 20 + 4 * n; }, [](double n) { return 120 + 4 * n; })).value ==
      "0");
}

TEST_CASE("what branches cost is recovered from code with and without them") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20; ++i) {
    std::uniform_int_distribution<int> cycles(2, 30);
    const Branches machine{.taken = 1.0 * cycles(random),
                           .not_taken = 1.0 * cycles(random),
                           .meeting = 1.0 * cycles(random),
                           .slot = i % 2 == 0 ? 1 : 0.5};
    const auto series = branch_series(machine);
    const auto value = [&](const std::string& model, const char* like, const char* unlike) {
      return std::stod(issue_fact(issue_rule(model, like, unlike), series).value);
    };
    CHECK(value("offset", "taken", "straight") == Approx(machine.taken));
    CHECK(value("difference", "not_taken", "straight") == Approx(machine.not_taken));
    CHECK(value("difference", "meeting_taken", "taken") == Approx(machine.meeting));
    CHECK(value("crossing", "predicated", "taken") == Approx(machine.taken / machine.slot));
  }
  INFO("they must not be parallel to meet");
  const auto parallel = issue_fact(issue_rule("crossing", "predicated", "straight"), branch_series({}));
  CHECK(parallel.verdict == FactVerdict::undetermined);
}

TEST_CASE("a buffer of instructions holds what comes in time wherever the code begins") {
  auto rule = issue_rule("gap", "evicted", "kept");
  for (const int entries : {1, 3, 8, 15}) {
    auto series = buffer_series([&](int) { return entries; }, 30);
    for (const double begins_late : {0, 150}) {
      for (std::size_t i = 0; i < 32; ++i) *series.values[series.values.size() - 1 - i] += begins_late;
      const auto fact = issue_fact(rule, series);
      CHECK(fact.value == std::to_string(entries));
      CHECK(fact.low == entries);
    }
  }
  CHECK_THAT(issue_fact(rule, buffer_series([](int) { return 0; }, 30)).how, Contains("the first was late everywhere"));
  const auto uneven = buffer_series([](int shift) { return shift % 2 == 0 ? 5 : 9; }, 30);
  CHECK_THAT(issue_fact(rule, uneven).how, Contains("5 to 9 came in time"));
  const auto longest = buffer_series([](int shift) { return shift % 2 == 0 ? 5 : 32; }, 30);
  CHECK_THAT(issue_fact(rule, longest).how, Contains("none was late at 6 of 12 places"));
  CHECK_THAT(issue_fact(rule, buffer_series([](int) { return 5; }, 0)).how,
             Contains("none was late at 12 of 12 places"));
}

TEST_CASE("a buffer of whole lines holds up to the end of its last line") {
  auto rule = issue_rule("gap", "evicted", "kept");
  for (const int line : {2, 4, 8}) {
    for (const int lines : {1, 2, 3}) {
      for (const int phase : {0, 1, 5}) {
        const auto held = [&](int shift) { return lines * line - (phase + shift) % line; };
        const auto fact = issue_fact(rule, buffer_series(held, 30));
        CHECK(fact.value == std::to_string(lines * line));
        CHECK(fact.low == lines * line - line + 1);
        CHECK(fact.high == lines * line);
        CHECK(fact.verdict == FactVerdict::inferred);
        CHECK_THAT(fact.how, Contains("a line of " + std::to_string(line)));
        INFO("without a place that the rule predicts, it is not a rule");
        CHECK(issue_fact(rule, buffer_series(held, 30, line)).verdict == FactVerdict::undetermined);
      }
    }
  }
}

TEST_CASE("series without the places that are compared give nothing") {
  for (const auto model : {"difference", "crossing", "offset", "gap"})
    CHECK(issue_fact(issue_rule(model, "none", "neither"), branch_series({})).verdict == FactVerdict::undetermined);
}
