// SPDX-License-Identifier: Apache-2.0

// Pairs of opcodes: what a schedule leaves between them, and what becomes of it beside the measured hazards.
#include <algorithm>

#include "catch.h"
#include "pairs/hazards.h"
#include "pairs/pair_rows.h"
#include "pairs/scheduled_pairs.h"

using namespace ptxlat;
using namespace ptxlat::loops;
using namespace ptxlat::pairs;

namespace {

struct Scheduled {
  std::string text;
  int stall_count = 1;
  int write_scoreboard = 7;
  int wait_mask = 0;
};

// A window between two clocks, by hand.
results::WindowRecord window(const std::vector<Scheduled>& lines, std::optional<double> cycles = {}) {
  results::WindowRecord made;
  const auto add = [&](const Scheduled& line) {
    results::SassRecord one;
    one.text = line.text;
    one.stall_count = line.stall_count;
    one.write_scoreboard = line.write_scoreboard;
    one.wait_mask = line.wait_mask;
    made.sass.push_back(one);
  };
  add({"CS2R.32 R8, SR_CLOCKLO", 2});
  made.static_cycles = 2;
  for (const auto& line : lines) {
    add(line);
    made.static_cycles += line.stall_count;
  }
  add({"CS2R.32 R9, SR_CLOCKLO", 5});
  made.cycles = cycles;
  return made;
}

results::Record record(const results::WindowRecord& made, results::RecordKind kind = results::RecordKind::latency) {
  results::Record one;
  one.kind = kind;
  one.level = 3;
  one.windows = {made};
  return one;
}

results::Record hazard_record(const results::WindowRecord& made, const std::vector<std::string>& sass,
                              const HazardLadder& ladder) {
  auto one = record(made, results::RecordKind::hazard);
  one.sass = sass;
  put(one, ladder);
  return one;
}

const results::Pair& row_of(const std::vector<results::Pair>& rows, const std::string& consumer,
                            const std::string& slot) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.consumer == consumer && r.slot == slot; });
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace

TEST_CASE("a pair is a result and its first reader, with the stall counts between them") {
  using Pairs = std::vector<ScheduledPair>;
  CHECK(pairs_of(window({{"IADD3 R4, R2, R3, RZ", 2}, {"MOV R6, R5", 3}, {"IMAD R7, R6, R4, R4", 1}})) ==
        Pairs{{"IADD3", "IMAD", "b", 5}, {"MOV", "IMAD", "a", 3}});
  // A carry, a guard and a condition are read in other ways.
  CHECK(pairs_of(window({{"IADD3 R4, P0, R2, R3, RZ", 5}, {"IADD3.X R5, R6, R7, RZ, P0, !PT"}})) ==
        Pairs{{"IADD3", "IADD3.X", "carry", 5}});
  CHECK(pairs_of(window({{"ISETP.NE.AND P0, PT, R2, R3, PT", 13}, {"@!P0 IADD3 R4, R2, R3, RZ"}})) ==
        Pairs{{"ISETP.NE.AND", "IADD3", "guard", 13}});
  CHECK(pairs_of(window({{"ISETP.NE.AND P0, PT, R2, R3, PT", 4}, {"SEL R4, R2, R3, P0"}})) ==
        Pairs{{"ISETP.NE.AND", "SEL", "predicate", 4}});
  // Both halves of a wide result are one pair if one instruction reads them.
  CHECK(pairs_of(window({{"IMAD.WIDE R4, R2, R3, RZ", 5}, {"LOP3.LUT R6, R4, R5, RZ, 0x3c, !PT"}})) ==
        Pairs{{"IMAD.WIDE", "LOP3.LUT", "a+b", 5}});
  // The upper half of a pair is read where sources are pairs, and the register behind another source is not.
  CHECK(pairs_of(window({{"DADD R4, R2, R12", 8}, {"MOV R3, R2", 5}, {"DMUL R8, R2, R10"}})) ==
        Pairs{{"MOV", "DMUL", "a", 5}});
  CHECK(pairs_of(window({{"MOV R5, R2", 5}, {"IMAD.WIDE.U32 R8, R4, R6, R10"}})).empty());
  CHECK(pairs_of(window({{"MOV R11, R2", 5}, {"IMAD.WIDE.U32 R8, R4, R6, R10"}})) ==
        Pairs{{"MOV", "IMAD.WIDE.U32", "c", 5}});
  // What is overwritten before it is read is not a pair.
  CHECK(pairs_of(window({{"MOV R4, R2"}, {"MOV R4, R3", 4}, {"FADD R5, R4, R2"}})) == Pairs{{"MOV", "FADD", "a", 4}});
  CHECK(pairs_of(window({{"MOV R4, R2", 5}, {"BRA 0x40", 5}, {"FADD R5, R4, R2"}})).empty());
}

TEST_CASE("a window's own time says how long its pairs took: all as scheduled, or one that waits the rest") {
  const auto scheduled = window({{"FADD R4, R2, R3", 4}, {"FMUL R5, R4, R3", 1}}, 7);
  CHECK(pairs_of(scheduled).front().measured == 4);
  const auto waiting = window({{"POPC R4, R2", 2, 0}, {"IADD3 R5, R4, R3, RZ", 1, 7, 1}}, 21);
  REQUIRE(pairs_of(waiting).size() == 1);
  CHECK(pairs_of(waiting).front().waits);
  CHECK(pairs_of(waiting).front().measured == 18);
  // It took longer, and nothing says which pair did.
  CHECK_FALSE(pairs_of(window({{"FADD R4, R2, R3", 4}, {"FMUL R5, R4, R3", 1}}, 8)).front().measured);
}

TEST_CASE("the least schedule and the longest hazard of a pair count, and its verdict compares them") {
  const auto near = window({{"FADD R4, R2, R3", 4}, {"FMUL R5, R4, R3", 1}}, 7);
  const auto far = window({{"FADD R4, R2, R3", 6}, {"FMUL R5, R4, R3", 1}});
  const auto read = [](const std::vector<int>& distances, const std::vector<int>& wrong) {
    const std::vector<std::optional<double>> elapsed(distances.size(), 50);
    return HazardLadder{Hazard::read_after_write, distances, wrong, elapsed, 96, {}, false};
  };
  const std::vector<std::string> sass{"FADD", "FMUL"};
  const auto rows_with = [&](const HazardLadder& ladder) {
    return pair_rows(schedules_of({record(far), record(near)}), {hazard_record(near, sass, ladder)});
  };
  const auto exact = row_of(rows_with(read({6, 5, 4, 3}, {0, 0, 0, 96})), "FMUL", "a");
  CHECK(exact.schedule == 4);
  CHECK(exact.measured == 4);
  CHECK(exact.hazard == 4);
  CHECK(exact.verdict == "exact");
  CHECK(exact.note.empty());
  const auto late = row_of(rows_with(read({4, 3, 2}, {0, 0, 1})), "FMUL", "a");
  CHECK(late.hazard == 3);
  CHECK(late.verdict == "late");
  CHECK(late.note == "scheduled 1 cycle later than needed");
  CHECK(row_of(rows_with(read({6, 5, 4}, {0, 0, 2})), "FMUL", "a").verdict == "early");
  CHECK_THAT(row_of(rows_with(read({6, 5, 1}, {0, 0, 0})), "FMUL", "a").note,
             Catch::Matchers::StartsWith("no distance gives a wrong value"));
  CHECK(row_of(rows_with(read({6}, {2})), "FMUL", "a").note == "wrong values at every distance that fits");
  // Which of two such pairs was patched is not known.
  const auto two = window({{"MOV R6, R2", 2}, {"MOV R7, R3", 4}, {"LOP3.LUT R7, R9, R6, R7, 0x96, !PT", 1}});
  const auto unclear = pair_rows({}, {hazard_record(two, {"MOV", "LOP3.LUT"}, read({8, 7, 6}, {0, 0, 96}))});
  CHECK(std::none_of(unclear.begin(), unclear.end(), [](const auto& row) { return row.hazard.has_value(); }));
  // One lane that is wrong in one of two experiments is enough.
  const auto rows = pair_rows(schedules_of({record(near)}), {hazard_record(near, sass, read({4, 3, 2}, {0, 0, 96})),
                                                             hazard_record(near, sass, read({4, 3}, {0, 1}))});
  CHECK(row_of(rows, "FMUL", "a").hazard == 4);
  CHECK(hazard_of_opcodes(rows) == std::map<std::string, double>{{"FADD", 4}});
  // Writes have rows of their own, and do not count as an opcode's latency.
  const HazardLadder write{Hazard::write_after_write, {1, 2}, {32, 0}, {50, 50}, 96, {}, false};
  const auto written = pair_rows({}, {hazard_record(near, sass, write)});
  CHECK(row_of(written, "FMUL", "waw").hazard == 2);
  CHECK(row_of(written, "FMUL", "a").verdict == "scheduled");
  CHECK(hazard_of_opcodes(written).empty());
}

TEST_CASE("unoptimised code and windows that are not proven have no pairs") {
  auto unoptimised = record(window({{"FADD R4, R2, R3", 15}, {"FMUL R5, R4, R3", 1}}));
  unoptimised.level = 0;
  auto unproven = record(window({{"FADD R4, R2, R3", 4}, {"FMUL R5, R4, R3", 1}}));
  unproven.windows.front().verdict = sass::Verdict::contaminated;
  CHECK(pair_rows(schedules_of({unoptimised, unproven}), {}).empty());
}

TEST_CASE("a pair of fixed latency without a hazard says why, and which hazards are known beside it") {
  const auto near = window({{"FADD R4, R2, R3", 4}, {"FMUL R5, R4, R3", 1}}, 7);
  const HazardLadder ladder{Hazard::read_after_write, {4, 3}, {0, 96}, {50, 50}, 96, {}};
  const auto measured = hazard_record(near, {"FADD", "FMUL"}, ladder);
  const auto alone = [](const std::string& ptx, const results::WindowRecord& made, const std::string& opcode) {
    auto one = record(made);
    one.ptx = ptx;
    one.sass = {opcode};
    return one;
  };
  const auto rows = pair_rows(
      schedules_of(
          {alone("add.f32", window({{"FADD R4, R2, R3", 4}, {"FMUL R5, R3, R4", 1}}), "FADD"),
           alone("add.f32", window({{"FADD R4, R2, R3", 5}, {"LOP3.LUT R5, R4, R3, RZ, 0x3c, !PT", 1}}), "FADD"),
           alone("add.rm.f32", window({{"FADD.RM R4, R2, R3", 4}, {"FMUL R5, R4, R3", 1}}), "FADD.RM"),
           alone("activemask.b32", window({{"VOTE.ANY R4, PT, PT", 6}, {"MOV R5, R4", 1}}), "VOTE.ANY"),
           record(window({{"SGXT R4, R2, 0x8", 4}, {"MOV R6, R4", 1}}))},
          {{"activemask.b32", "nothing consumes its result"}}),
      {measured});
  const auto note = [&](const std::string& producer, const std::string& consumer, const std::string& slot) {
    for (const auto& row : rows) {
      if (row.producer == producer && row.consumer == consumer && row.slot == slot) return row.note;
    }
    return std::string("no such row");
  };
  CHECK(note("FADD", "FMUL", "a").empty());
  CHECK(note("FADD", "FMUL", "b") ==
        "no hazard: no patched window has this consumer and slot first; in slot a the hazard is 4");
  CHECK(note("FADD", "LOP3.LUT", "a") ==
        "no hazard: no patched window has this consumer and slot first; before FMUL the hazard is 4");
  CHECK(note("FADD.RM", "FMUL", "a") == "no hazard: add.rm.f32 was not patched; of its family FADD has the hazard 4");
  CHECK(note("VOTE.ANY", "MOV", "a") == "no hazard: activemask.b32: nothing consumes its result");
  CHECK(note("SGXT", "MOV", "a") ==
        "no hazard: no form becomes it alone, and of longer code only the first pair is patched");
  CHECK(hazard_note("FADD", 4, rows).empty());
  CHECK(hazard_note("FADD", 6, rows) == "the hazard is before FMUL in slot a, the latency of 6 to another consumer");
  CHECK(hazard_note("VOTE.ANY", 6, rows) == "no hazard: activemask.b32: nothing consumes its result");
  CHECK(hazard_note("POPC", 17, {{"POPC", "IADD3", "a", {}, 17, 15, "waits", ""}}) ==
        "the value is there after 15 cycles; 17 with the wait for its scoreboard");
}

TEST_CASE("a result under a scoreboard that has no hazard says why") {
  const auto waiting = window({{"LDG.E R4, desc[UR4][R2.64]", 2, 0}, {"IADD3 R5, R4, R3, RZ", 1, 7, 1}}, 41);
  const HazardLadder ladder{Hazard::unawaited_read, {55}, {96}, {50}, 96, {}, false};
  const auto row = row_of(
      pair_rows(schedules_of({record(waiting)}), {hazard_record(waiting, {"LDG.E", "IADD3"}, ladder)}), "IADD3", "a");
  CHECK(row.verdict == "waits");
  CHECK(row.note == "without the wait it is wrong even after 55 cycles");
  const auto unpatched = row_of(pair_rows(schedules_of({record(waiting)}), {}), "IADD3", "a");
  CHECK(unpatched.note == "no hazard: no form becomes it alone, and of longer code only the first pair is patched");
  CHECK(hazard_note("LDG.E", 38, {row}) == row.note);
  const results::Pair second{"LDG.E", "IMAD", "b", {}, {}, {}, "waits", "measured with its first consumer only"};
  CHECK(hazard_note("LDG.E", 38, {unpatched, second, row}) == row.note);
}

TEST_CASE(
    "a patched pair's reason comes before others, whatever its words, and the records know it if the csv does not") {
  const auto waiting = window({{"LDG.E R4, desc[UR4][R2.64]", 2, 0}, {"IADD3 R5, R4, R3, RZ", 1, 7, 1}}, 41);
  auto own = record(waiting, results::RecordKind::hazard);
  own.sass = {"LDG.E", "IADD3"};
  own.note = "no hazard: so says the driver";
  const auto row = row_of(pair_rows(schedules_of({record(waiting)}), {own}), "IADD3", "a");
  CHECK(row.note == own.note);
  CHECK(row.is_patched);
  const results::Pair unpatched{"LDG.E", "IMAD", "a", {}, 41, {}, "waits", "some pair was not patched"};
  CHECK(hazard_note("LDG.E", 38, {unpatched, row}) == own.note);

  std::vector<results::Pair> rows{unpatched, row};
  rows[1].is_patched = false;
  mark_patched(rows, {own});
  CHECK_FALSE(rows[0].is_patched);
  CHECK(rows[1].is_patched);
}

TEST_CASE("a result that looks right long before the wait for it ends has no hazard") {
  const auto waiting = window({{"LDG.E R4, desc[UR4][R2.64]", 2, 0}, {"IADD3 R5, R4, R3, RZ", 1, 7, 1}}, 41);
  const auto row_with = [&](double waited, int lowest) {
    const HazardLadder ladder{Hazard::unawaited_read, {lowest, lowest - 1}, {0, 96}, {50, 50}, 96, {}, false};
    auto hazard = hazard_record(waiting, {"LDG.E", "IADD3"}, ladder);
    hazard.set(results::metric::differential, waited);
    return row_of(pair_rows({}, {hazard}), "IADD3", "a");
  };
  CHECK(row_with(31, 29).hazard == 29);
  const auto early = row_with(305, 2);
  CHECK_FALSE(early.hazard);
  CHECK(early.note == "right after 2 cycles, long before the wait ends: an old value looks the same");
}

TEST_CASE("a matrix has pairs through each of its registers") {
  using Pairs = std::vector<ScheduledPair>;
  CHECK(pairs_of(window({{"HMMA.16816.F32 R4, R8, R12, RZ", 11}, {"NOP", 13}, {"FADD R5, R7, R3"}})) ==
        Pairs{{"HMMA.16816.F32", "FADD", "a", 24}});
  CHECK(pairs_of(window({{"HMMA.16816.F16 R4, R8, R12, RZ", 11}, {"FADD R5, R6, R3"}})).empty());
}

TEST_CASE("a second writer has a distance of its own, and at 1 there is no hazard") {
  const auto near = window({{"DADD R4, R2, R8", 8}, {"IADD3 R6, R4, R5, RZ", 1}});
  const auto written = [&](const std::vector<int>& distances, const std::vector<int>& wrong) {
    const std::vector<std::optional<double>> elapsed(distances.size(), 50);
    const HazardLadder ladder{Hazard::write_after_write, distances, wrong, elapsed, 96, {}, false};
    return row_of(pair_rows({}, {hazard_record(near, {"DADD", "IADD3"}, ladder)}), "IADD3", "waw");
  };
  CHECK(written({4, 3}, {0, 96}).hazard == 4);
  CHECK(written({4, 3}, {0, 96}).note == "nearer, the first result remains");
  CHECK(written({2, 1}, {0, 0}).hazard == 1);
  CHECK(written({2, 1}, {0, 0}).note == "no hazard: the next instruction may write it");
  CHECK(written({4, 3}, {0, 1}).hazard == 4);  // one lane is enough
}

TEST_CASE("a window that could not be patched says why in its pairs") {
  const auto waits = window({{"FADD R4, R2, R3", 4}, {"FMUL R5, R4, R3", 1}}, 7);
  auto contaminated = record(waits, results::RecordKind::hazard);
  contaminated.note = "its code waits";
  const auto row = row_of(pair_rows(schedules_of({record(waits)}), {contaminated}), "FMUL", "a");
  CHECK(row.verdict == "scheduled");
  CHECK(row.note == "no hazard: its code waits");
}

TEST_CASE("a scoreboard's release is what the wait takes longer than the result, if pairs agree about it") {
  const auto pair = [](std::optional<double> measured, std::optional<double> hazard) {
    return results::Pair{"POPC", "IADD3", "a", {}, measured, hazard, "waits", {}};
  };
  auto pairs = std::vector<results::Pair>(9, pair(17, 15));
  pairs.push_back(pair(37, 29));
  // These say nothing: no hazard, no wait, an overwritten register.
  pairs.push_back(pair(30, {}));
  pairs.push_back({"FADD", "IADD3", "a", 4, 4, 4, "exact", {}});
  pairs.push_back({"POPC", "IADD3", "waw", {}, 9, 3, "waits", {}});
  const auto fact = release_of_scoreboards(pairs);
  CHECK(fact.quantity == "scoreboard.release_cycles");
  CHECK(fact.value == "2");
  CHECK(fact.low == 2);
  CHECK(fact.verdict == results::FactVerdict::measured);
  CHECK(fact.how.ends_with("2 in 9 of 10 pairs of opcodes"));
  pairs.push_back(pair(37, 29));
  CHECK(release_of_scoreboards(pairs).verdict == results::FactVerdict::undetermined);
  CHECK(release_of_scoreboards(pairs).value.empty());
  CHECK(release_of_scoreboards({}).verdict == results::FactVerdict::undetermined);
}
