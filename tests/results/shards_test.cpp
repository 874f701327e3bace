// SPDX-License-Identifier: Apache-2.0
#include "results/shards.h"

#include "catch.h"

using namespace ptxlat::results;

namespace {

enum class End { finished, killed, interrupted };

Run run_of(const std::string& shard, End end, const std::string& plan = "p") {
  static int seconds = 0;
  Run run;
  run.method = "method 17";
  run.plan = plan;
  run.shard = shard;
  run.started_utc = "2026-01-01T00:00:" + std::to_string(++seconds + 10) + "Z";
  if (end != End::killed) run.finished_utc = run.started_utc;
  run.was_interrupted = end == End::interrupted;
  return run;
}

std::string missing(const std::vector<Run>& runs) {
  std::string text;
  for (const auto& division : unfinished_plans(runs)) text += what_is_missing(division) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a shard is written as its number and their count") {
  CHECK(shard_from("3/16") == Shard{3, 16});
  CHECK(to_string(Shard{3, 16}) == "3/16");
  for (const char* text : {"", "3", "/", "3/", "/16", "0/16", "17/16", "3/16 ", " 3/16", "-1/16", "3/16/2", "3/0x10",
                           "1/100001", "1/99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(shard_from(text));
  }
}

TEST_CASE("shards that no run finished are named") {
  CHECK(missing({}).empty());
  CHECK(missing({run_of("1/2", End::finished), run_of("2/2", End::finished)}).empty());
  CHECK(missing({run_of("2/4", End::finished), run_of("3/4", End::killed)}) ==
        "shards 1, 4 of 4 are missing, shard 3 of 4 is unfinished\n");
  CHECK(missing({run_of("1/3", End::finished), run_of("2/3", End::interrupted), run_of("3/3", End::killed)}) ==
        "shards 2, 3 of 3 are unfinished\n");
  CHECK(missing({run_of("", End::killed)}) == "its run did not finish\n");
}

TEST_CASE("a shard whose run was killed is finished by a later one") {
  CHECK(missing({run_of("1/2", End::killed), run_of("2/2", End::finished), run_of("1/2", End::finished)}).empty());
}

TEST_CASE("a plan is finished if any division of it is, or a whole run") {
  CHECK(missing({run_of("1/3", End::finished), run_of("1/2", End::finished), run_of("2/2", End::finished)}).empty());
  CHECK(missing({run_of("1/3", End::finished), run_of("", End::finished)}).empty());
  CHECK(missing({run_of("1/2", End::finished, "p"), run_of("2/2", End::finished, "q")}) ==
        "shard 2 of 2 is missing\nshard 1 of 2 is missing\n");
}

TEST_CASE("runs of an older method, of probes and from before shards miss nothing") {
  auto old = run_of("1/2", End::killed), probes = run_of("", End::killed, "");
  old.method = "method 16";
  CHECK(missing({old, probes, run_of("", End::finished, "q")}).empty());
}

TEST_CASE("a table says which shards it holds until it has all") {
  const auto first = run_of("1/3", End::finished), third = run_of("3/3", End::killed);
  CHECK(shards_held({first}, first) == "1/3");
  CHECK(shards_held({first, third}, third) == "1,3/3");
  CHECK(shards_held({first, third, run_of("2/3", End::finished), run_of("3/3", End::finished)}, third).empty());
  const auto whole = run_of("", End::finished);
  CHECK(shards_held({first, whole}, whole).empty());
  CHECK(shards_held({first, whole}, first).empty());
}
