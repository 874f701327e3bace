// SPDX-License-Identifier: Apache-2.0
#include "results/record.h"

#include <algorithm>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::results;

namespace {

std::vector<std::string_view> tags_of(const Record& record) {
  std::vector<std::string_view> tags;
  for (const Metric& metric : record.metrics) tags.push_back(metric.tag);
  return tags;
}

}  // namespace

TEST_CASE("metrics lie in the order of the table of metrics, in whatever order they were set") {
  Record record;
  record.set(results::metric::static_cycles, 5);
  record.set(results::metric::cycles, 4);
  record.set(results::metric::chain, 4);
  record.set(results::metric::issue, 2);
  CHECK(tags_of(record) == std::vector{results::metric::cycles, results::metric::issue, results::metric::chain,
                                       results::metric::static_cycles});
  CHECK(record.number(results::metric::chain) == 4);
  CHECK_FALSE(record.number(results::metric::bracket));
  CHECK(record.find(results::metric::bracket) == nullptr);
}

TEST_CASE("a metric that is set again is replaced, and one that is set to nothing is removed") {
  Record record;
  record.set(results::metric::cycles, 4, {"chain"});
  record.set(results::metric::cycles, 5);
  REQUIRE(record.metrics.size() == 1);
  CHECK(record.number(results::metric::cycles) == 5);
  CHECK(record.metrics[0].from.empty());
  record.set(results::metric::issue, std::nullopt);
  CHECK(record.metrics.size() == 1);
  record.set(results::metric::cycles, std::nullopt);
  CHECK(record.metrics.empty());
}

TEST_CASE("every metric is declared once, with a unit and a description, and found by its tag") {
  for (const MetricKind& kind : metric_kinds()) {
    INFO(kind.tag);
    CHECK(find_metric(kind.tag) == &kind);
    CHECK_FALSE(kind.unit.empty());
    CHECK_FALSE(kind.description.empty());
  }
  CHECK(find_metric("verdict") == nullptr);
}

TEST_CASE("a flag is there once") {
  Record record;
  record.add_flag(results::flag::spread);
  record.add_flag(results::flag::spread);
  CHECK(record.flags == std::vector<std::string>{"spread"});
  CHECK(record.has_flag(results::flag::spread));
  CHECK_FALSE(record.has_flag(results::flag::branches));
  record.set_flag(results::flag::branches, true);
  record.set_flag(results::flag::spread, false);
  record.set_flag(results::flag::diverged, false);
  CHECK(record.flags == std::vector<std::string>{"branches"});
}

TEST_CASE("whether a record is final is in its verdicts and its flags, and in no words") {
  Record record;
  record.verdict = sass::Verdict::rejected;
  record.note = "line 3: error: 'the assembler failed: ' is no instruction; a launch failed: never";
  record.windows.emplace_back();
  record.windows.back().reason = record.note;
  CHECK(is_final(record));
  record.note.clear();
  record.add_flag(flag::retry);
  CHECK_FALSE(is_final(record));
  record.set_flag(flag::retry, false);
  record.windows.back().verdict = sass::Verdict::fault;
  CHECK_FALSE(is_final(record));
}

TEST_CASE("the windows of a record's headline are those behind it, as far as they exist") {
  Record record;
  for (const char* role : {"overhead", "chain twice", "chain", "differential"})
    record.windows.emplace_back().role = role;
  CHECK(backing_windows(record).empty());
  record.set(results::metric::static_cycles, 4, {"differential", "differential base"});
  CHECK(backing_windows(record) == std::vector<const WindowRecord*>{&record.windows[3]});
  record.set(results::metric::cycles, 4, {"chain", "chain twice"});
  CHECK(backing_windows(record) == std::vector<const WindowRecord*>{&record.windows[2], &record.windows[1]});
}
