// SPDX-License-Identifier: Apache-2.0

// From counts of instructions to an opcode's pipes, and the note if the two witnesses disagree.
#include "catch.h"
#include "opcodes/counting.h"

using namespace ptxlat;
using namespace ptxlat::opcodes;

namespace {

const std::vector<std::string> three_pipes{"alu", "heavy", "lite"};

results::Record record_of(const std::vector<double>& on_pipes) {
  results::Record record;
  record.kind = results::RecordKind::counters;
  record.series = {{"pipes", "instructions", {{"pipe", "pipe", {0, 1, 2}, three_pipes}}, {}}};
  record.series.front().values.assign(on_pipes.begin(), on_pipes.end());
  return record;
}

std::string shares(const std::vector<double>& on_pipes) { return results::text_of(shares_of(record_of(on_pipes))); }

results::Opcode row(const std::string& name, const std::string& pipe, std::vector<results::PipeShare> counters) {
  results::Opcode row;
  row.name = name;
  row.pipe = pipe;
  row.counters = std::move(counters);
  return row;
}

}  // namespace

TEST_CASE("the rest of the kernel is subtracted") {
  const auto counted = counted_copy({1200, {150, 500, 500}}, {1200, {150, 0, 0}}, 1000, three_pipes);
  CHECK(counted.problem.empty());
  CHECK(counted.on_pipes == std::vector{0.0, 0.5, 0.5});
}

TEST_CASE("of two loops, the longer one's further copies are counted") {
  const auto counted = counted_difference({2200, {150, 1750, 10}}, {1200, {150, 750, 10}}, 1000);
  CHECK(counted.problem.empty());
  CHECK(counted.on_pipes == std::vector{0.0, 1.0, 0.0});
  CHECK(counted_difference({1200, {150, 750, 10}}, {1200, {150, 750, 10}}, 1000).problem ==
        "0 more instructions were executed, and 1000 more copies should be");
}

TEST_CASE("copies that did not run, or not as often as they should, are not a witness") {
  for (const double executed : {200.0, 4100.0})
    CHECK(counted_copy({executed, {150, 0, 0}}, {executed, {150, 0, 0}}, 1000, three_pipes)
              .problem.find("of which the copies should be 1000") != std::string::npos);
  CHECK(counted_copy({1200, {150, 0, 0}}, {700, {150, 0, 0}}, 1000, three_pipes).problem.find("and 700 with as many") !=
        std::string::npos);
}

TEST_CASE("a kernel may do much besides, as long as a pipe counts each copy once") {
  CHECK(counted_copy({2500, {1000, 150, 0}}, {2500, {0, 150, 0}}, 1000, three_pipes).on_pipes ==
        std::vector{1.0, 0.0, 0.0});
  INFO("copies that ran twice, or that no pipe counts");
  CHECK_FALSE(counted_copy({2500, {2000, 150, 0}}, {2500, {0, 150, 0}}, 1000, three_pipes).problem.empty());
  CHECK_FALSE(counted_copy({2500, {150, 0, 0}}, {2500, {150, 0, 0}}, 1000, three_pipes).problem.empty());
}

TEST_CASE("it does not matter whether instructions that do nothing are executed, or count on a pipe") {
  const std::vector expected{0.0, 1.0, 0.0};
  CHECK(counted_copy({1200, {150, 1000, 0}}, {200, {150, 0, 0}}, 1000, three_pipes).on_pipes == expected);
  CHECK(counted_copy({1200, {150, 1000, 0}}, {1200, {1150, 0, 0}}, 1000, three_pipes).on_pipes == expected);
  CHECK(counted_copy({1200, {1100, 0, 0}}, {1200, {1100, 0, 0}}, 1000, three_pipes).on_pipes ==
        std::vector{1.0, 0.0, 0.0});
  CHECK(counted_copy({1200, {50, 1000, 0}}, {1200, {150, 0, 0}}, 1000, three_pipes).problem ==
        "alu counted more without copies");
}

TEST_CASE("shares are sorted by size, and counts that do not come from copies are left out") {
  CHECK(shares({0.9998, 0, 0}) == "alu");
  CHECK(shares({0.001, 0.498, 0.502}) == "heavy:0.5 lite:0.5");
  CHECK(shares({0.25, 1, 0.004}) == "heavy alu:0.25");
  CHECK(shares({1, 0, 1}) == "alu lite");
  CHECK(shares({0, 0, 2}) == "lite:2");
  CHECK(shares({0, 0, 0}).empty());
}

TEST_CASE("a disagreement of the witnesses is noted on both sides") {
  std::vector<results::Opcode> rows{row("IMAD", "fma", {{"heavy", 1}}),
                                    row("FFMA", "fma", {{"heavy", 0.5}, {"lite", 0.5}}),
                                    row("SEL", "fma", {{"alu", 1}}),
                                    row("LOP3", "alu", {{"alu", 1}}),
                                    row("POPC", "xu", {}),
                                    row("S2R", "", {{"alu", 1}})};
  rows[3].note = "more warps would do more";
  note_disagreements(rows);
  CHECK(rows[0].note == "counters share no pipe with SEL, contention does");
  CHECK(rows[1].note == "counters share no pipe with SEL, contention does");
  CHECK(
      rows[2].note ==
      "counters share no pipe with IMAD and 1 more, contention does; counters share a pipe with LOP3, contention does "
      "not");
  CHECK(rows[3].note == "more warps would do more; counters share a pipe with SEL, contention does not");
  CHECK(rows[4].note.empty());
  CHECK(rows[5].note.empty());
}

TEST_CASE("an instruction that can go to either of two pipes may be apart from those of one") {
  std::vector<results::Opcode> rows{row("IMAD", "heavy", {{"heavy", 1}}),
                                    row("FFMA", "fma", {{"heavy", 0.5}, {"lite", 0.5}})};
  note_disagreements(rows);
  CHECK(rows[0].note.empty());
  CHECK(rows[1].note.empty());
}
