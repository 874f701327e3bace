// SPDX-License-Identifier: Apache-2.0

// Windows that hold the right code and took cycles that are not the code's. Where a number is given it was measured on
// an H200 (tables/sm_90/nvidia-h200/driver-580.159.04).
#include "sass/hidden_waits.h"

#include "catch.h"
#include "text.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

constexpr int none = ControlWord::no_scoreboard;

// and.b64 to add.halves.b64: 12 cycles where the schedule says 10.
Window halves(const std::string& lower, int first_stall = 2, int second_stall = 4) {
  return window({{"LOP3.LUT R11, R6, R8, RZ, 0xc0, !PT", first_stall},
                 {"LOP3.LUT " + lower + ", R7, R9, RZ, 0xc0, !PT", second_stall},
                 {"IADD3 R20, R10, R11, " + lower, 2}});
}

}  // namespace

TEST_CASE("two results of one register bank, written 2 cycles apart and read at once, are a conflict") {
  const auto reason = bank_conflict(halves("R7"));
  INFO(reason);
  CHECK(has(reason, "R11 and R7 are in one register bank and were written 2 cycles apart"));
  CHECK(has(reason, "IADD3 R20, R10, R11, R7"));
}

TEST_CASE("registers of two banks, or results that are read later, are none") {
  CHECK(bank_conflict(halves("R12")).empty());
  CHECK(bank_conflict(halves("R7", 3, 4)).empty());
  CHECK(bank_conflict(halves("R7", 2, 5)).empty());
  CHECK(bank_conflict(halves("R7", 15, 15)).empty());
}

TEST_CASE(
    "a result from a different pipe comes a cycle later: shl.b64 by a known number took 12 cycles instead of 10") {
  CHECK_FALSE(bank_conflict(window({{"SHF.L.U64.HI R9, R6, 0x5, R7", 1},
                                    {"IMAD.SHL.U32 R7, R6, 0x20, RZ", 5},
                                    {"LOP3.LUT R7, R8, R7, R9, 0x96, !PT", 2}}))
                  .empty());
  INFO("both from another pipe: sad.s16 took what its schedule says");
  CHECK(bank_conflict(window({{"IMAD.MOV.U32 R7, RZ, RZ, R9", 2},
                              {"IMAD.MOV.U32 R9, RZ, RZ, R11", 5},
                              {"VABSDIFF R9, R9, R8, R7", 2}}))
            .empty());
}

TEST_CASE("a step of a chain can have a conflict: shl.b64 took 8 cycles a step instead of 6") {
  CHECK_FALSE(bank_conflict(window({{"SHF.L.U64.HI R8, R12, R7, R9", 2},
                                    {"SHF.L.U32 R12, R12, R7, RZ", 4},
                                    {"SHF.L.U64.HI R8, R12, R7, R8", 2},
                                    {"SHF.L.U32 R9, R12, R7, RZ", 2}}))
                  .empty());
}

TEST_CASE("where the schedule does not say when something was written, no conflict is known") {
  INFO("a wait in between takes as long as it likes");
  CHECK(bank_conflict(window({{"MUFU.RCP R0, R2", 1, 0},
                              {"LOP3.LUT R11, R6, R8, RZ, 0xc0, !PT", 2},
                              {"LOP3.LUT R7, R7, R9, RZ, 0xc0, !PT", 4},
                              {"IADD3 R20, R0, R11, R7", 2, none, 0x1}}))
            .empty());
  INFO("results of variable latency");
  CHECK(bank_conflict(window({{"POPC R11, R6", 2, 0}, {"POPC R7, R8", 4, 1}, {"IADD3 R20, RZ, R11, R7", 2}})).empty());
  CHECK(bank_conflict(window({})).empty());
  CHECK(bank_conflict({}).empty());
}

TEST_CASE("a second clock that has a register which the window still reads waits for that") {
  const Line step{"SHFL.BFLY PT, R14, R7, R12, 0x1f", 4, 0, 0x1},
      last{"SHFL.BFLY PT, R16, R7, R14, 0x1f", 2, 1, 0x1, 0};
  auto chain = window({step, last});
  CHECK(clock_waits(chain).empty());
  chain.instructions.back().control.wait_mask = 0x1;
  CHECK(has(clock_waits(chain), "waits for a register of 0070 SHFL.BFLY PT, R16"));
  INFO("a wait that was over before the clock");
  auto over = window({step, last, {"LOP3.LUT R1, R16, R5, RZ, 0x3c, !PT", 2, none, 0x3}});
  over.instructions.back().control.wait_mask = 0x1;
  CHECK(clock_waits(over).empty());
  INFO("unoptimised code waits everywhere");
  for (auto& instruction : chain.instructions) instruction.control.stall_count = 15;
  CHECK(clock_waits(chain).empty());
}

TEST_CASE("a fence has no registers: what the second clock waits for is its effect") {
  const Line store{"STG.E.STRONG.SYS desc[UR4][R4.64+0x10000], R7", 1, none, 0, 0},
      fence{"MEMBAR.SC.CTA", 6, none, 0, 1};
  auto made = window({store, fence});
  made.instructions.back().control.wait_mask = 0x2;
  CHECK(clock_waits(made).empty());
  made.instructions.back().control.wait_mask = 0x1;
  CHECK(has(clock_waits(made), "STG"));
}

TEST_CASE("a clock that waits for a store whose address has since been read back is not late") {
  const Line store{"STL [R16], R9", 4, none, 0, 0}, load{"LDL R11, [R12]", 2, 2},
      awaited{"IADD3 R13, R11, 0x1, RZ", 2, none, 0x4};
  const auto waiting = [](const std::vector<Line>& lines) {
    auto made = window(lines);
    made.instructions.back().control.wait_mask = 0x1;
    return made;
  };
  CHECK(clock_is_late(waiting({store, load, awaited})).empty());
  CHECK(has(clock_waits(waiting({store, load, awaited})), "STL"));
  const Line copy{"LDGSTS.E.BYPASS.128 [R14], [R6.64]", 4, none, 0, 0}, end_of_group{"LDGDEPBAR", 1, 1};
  CHECK(clock_is_late(waiting({copy, end_of_group, {"DEPBAR.LE SB1, 0x0", 4}})).empty());
  CHECK(has(clock_is_late(waiting({copy, end_of_group, {"DEPBAR.LE SB1, 0x2", 4}})), "LDGSTS"));
  INFO("nobody waited for the load, or it came first, or it went another way");
  CHECK(has(clock_is_late(waiting({store, load})), "STL"));
  CHECK(has(clock_is_late(waiting({load, store, awaited})), "STL"));
  CHECK(has(clock_is_late(waiting({store, {"TEX.LL R11, R6, R6, R10, UR4, 0x0, 2D", 2, 2}, awaited})), "STL"));
  INFO("what holds the scoreboard for its result has not come back");
  const Line atomic{"ATOM.E.ADD.STRONG.GPU PT, R9, [R16], R9", 4, 0};
  CHECK(has(clock_is_late(waiting({atomic, load, awaited})), "ATOM"));
}

TEST_CASE("what was held before the window is not the second clock's register") {
  auto made = window({{"LOP3.LUT R1, R2, R5, RZ, 0x3c, !PT", 5}});
  made.instructions.back().control.wait_mask = 0x20;
  CHECK(clock_waits(made).empty());
  CHECK(clock_waits({}).empty());
}
