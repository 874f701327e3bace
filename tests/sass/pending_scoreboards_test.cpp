// SPDX-License-Identifier: Apache-2.0

// Which scoreboards are still held when the first clock of a pass is read.
#include "catch.h"
#include "sass/audit.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

constexpr int none = ControlWord::no_scoreboard;
const Line nothing{"NOP", 1};
const Line back_to_head{"@P1 BRA 0x10", 5};

Line sets(int scoreboard) { return {"LDG.E R20, desc[UR4][R6.64]", 1, scoreboard}; }
Line waits(int mask) { return {"NOP", 1, none, mask}; }

// A kernel whose loop begins after its first instruction:
//   0x00  before_loop
//   0x10  head        the loop's first instruction
//         (window)
//         epilogue
//         BRA 0x10
//         behind_loop
struct LoopKernel {
  Line before_loop = nothing, head = nothing, inside = nothing, epilogue = nothing, behind_loop = nothing;

  Window window() const {
    return with_epilogue(ptxlat::window({inside}, {before_loop, head}), {epilogue, back_to_head, behind_loop});
  }
  int pending() const { return pending_scoreboards(window()); }
};

}  // namespace

TEST_CASE("without a loop all six scoreboards are pending until something waits for them") {
  CHECK(pending_scoreboards(window({}, {nothing})) == 0x3f);
  CHECK(pending_scoreboards(window({}, {waits(0x3f)})) == 0);
  CHECK(pending_scoreboards(window({}, {waits(0x3f), {"LDG.E R0, [R2.64]", 1, 2, 0, 4}})) == 0x14);
  CHECK(pending_scoreboards(window({}, {waits(0x3f), sets(2), waits(0x4)})) == 0);
  // What the first clock read itself waits for is over when it issues.
  auto made = window({}, {waits(0x3f), sets(2)});
  made.instructions.front().control.wait_mask = 0x4;
  CHECK(pending_scoreboards(made) == 0);
}

TEST_CASE("in a loop only scoreboards set between two passes' clocks are pending") {
  CHECK(LoopKernel{}.pending() == 0);
  CHECK(LoopKernel{.head = sets(3)}.pending() == 0x8);
  CHECK(LoopKernel{.epilogue = sets(3)}.pending() == 0x8);
  CHECK(LoopKernel{.inside = sets(3)}.pending() == 0x8);  // by the pass before
}

TEST_CASE("scoreboards set before or after the loop are not pending in its last pass") {
  CHECK(LoopKernel{.before_loop = sets(3)}.pending() == 0);
  CHECK(LoopKernel{.behind_loop = sets(3)}.pending() == 0);
}

TEST_CASE("a wait ends what was set earlier on the way around the loop") {
  CHECK(LoopKernel{.head = waits(0x8), .epilogue = sets(3)}.pending() == 0);
  CHECK(LoopKernel{.head = waits(0x8), .inside = sets(3)}.pending() == 0);
  CHECK(LoopKernel{.inside = sets(3), .epilogue = waits(0x8)}.pending() == 0);
  CHECK(LoopKernel{.head = waits(0x10), .epilogue = sets(3)}.pending() == 0x8);  // for a different one
  // The window comes first on the walk: it has not waited for scoreboards that are set after it.
  CHECK(LoopKernel{.inside = waits(0x8), .epilogue = sets(3)}.pending() == 0x8);
}

TEST_CASE("a wait outside the loop ends nothing in it") {
  CHECK(LoopKernel{.before_loop = waits(0x3f), .epilogue = sets(3)}.pending() == 0x8);
  CHECK(LoopKernel{.epilogue = sets(3), .behind_loop = waits(0x3f)}.pending() == 0x8);
}

TEST_CASE("a forward branch after the window is not its loop") {
  const auto made = with_epilogue(window({nothing}, {waits(0x3f)}), {{"@P0 BRA 0x400", 5}, sets(3), {"EXIT", 5}});
  CHECK(pending_scoreboards(made) == 0);  // the rule without a loop: the prologue waits for all
  const auto looping = with_epilogue(window({nothing}, {nothing}), {{"@P0 BRA 0x400", 5}, sets(3), {"BRA 0x0", 5}});
  CHECK(pending_scoreboards(looping) == 0x8);
}

TEST_CASE("a wait in the window for something from the previous pass is foreign") {
  const Line waiting{"LOP3.LUT R4, R2, R3, RZ, 0x3c, !PT", 2, none, 0x8};
  const auto audit_with = [&](const Line& epilogue) {
    const auto made = with_epilogue(
        window({waiting}, {{"LDG.E R2, desc[UR4][R6.64]", 2, 0}, {"LDG.E R3, desc[UR4][R6.64+0x8]", 2, 1}, waits(0x3)}),
        {epilogue, {"@P1 BRA 0x0", 5}});
    return audit_base(made).verdict;
  };
  CHECK(audit_with({"STG.E desc[UR4][R6.64], R9", 2, none, 0, 3}) == Verdict::contaminated);
  CHECK(audit_with(nothing) == Verdict::proven);
}

TEST_CASE("a scoreboard that is held from before stays foreign when the window sets it, too") {
  const Line sets_it{"MUFU.RCP R4, R2", 2, 3};
  const Line waits_for_it{"LOP3.LUT R4, R4, R3, RZ, 0x3c, !PT", 2, none, 0x8};
  const Line waits_for_loads{"NOP", 1, none, 0x3f};
  const auto audit_with = [&](const std::vector<Line>& prologue) {
    return audit_base(with_epilogue(window({sets_it, waits_for_it}, prologue), {{"@P1 BRA 0x0", 5}})).verdict;
  };
  CHECK(audit_with({waits_for_loads}) == Verdict::proven);
  CHECK(audit_with({waits_for_loads, {"STG.E desc[UR4][R6.64], R9", 2, none, 0, 3}}) == Verdict::contaminated);
}
