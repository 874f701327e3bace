// SPDX-License-Identifier: Apache-2.0

// How long a window takes where the schedule does not say it.
#include "sass/arrivals.h"

#include "catch.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

constexpr int wait_0 = 1;

// As an H200 has them.
const Arrivals card = {
    {"MUFU.RCP", {false, 17}}, {"SHFL.IDX", {false, 26}}, {"IMAD.HI.U32", {true, 9}}, {"HMMA.1688.F16", {true, 17.5}}};

Window unknown_opcode() { return window({{"POPC R10, R2", 2, 0}, {"IADD3 R11, R10, R3, RZ", 2, 7, wait_0}}); }

}  // namespace

TEST_CASE("a wait is over when the result of its scoreboard arrives") {
  const auto near = window({{"MUFU.RCP R10, R2", 8, 0}, {"FADD R11, R10, R3", 2, 7, wait_0}});
  CHECK(expected_cycles(near, card) == 1 + 17 + 2);
  // Later than that, nothing waits.
  const auto far =
      window({{"MUFU.RCP R10, R2", 15, 0}, {"IADD3 R12, R3, R5, RZ", 15}, {"FADD R11, R10, R3", 2, 7, wait_0}});
  CHECK(expected_cycles(far, card) == 1 + 15 + 15 + 2);
  // The second clock may be what waits.
  auto clock = window({{"MUFU.RCP R10, R2", 2, 0}});
  clock.instructions.back().control.wait_mask = wait_0;
  CHECK(expected_cycles(clock, card) == 1 + 17);
}

TEST_CASE("of two results under one scoreboard the later one counts") {
  const auto both = window(
      {{"SHFL.IDX PT, R10, R2, R3, 0x1f", 2, 0}, {"MUFU.RCP R11, R2", 2, 0}, {"FADD R12, R10, R11", 2, 7, wait_0}});
  CHECK(expected_cycles(both, card) == 1 + 26 + 2);
}

TEST_CASE("what an interlock holds back comes late, and what depends on that as well") {
  // __umulhi(x, y) >> 3: the schedule plans with 10 cycles to the last one; an H200 takes 14.
  const auto code = window({{"IMAD.HI.U32 R10, R2, R3, RZ", 5},
                            {"SHF.R.U32.HI R10, RZ, 0x3, R10", 5},
                            {"LOP3.LUT R11, R10, R5, RZ, 0x3c, !PT", 2}});
  CHECK(expected_cycles(code, {}) == 1 + 5 + 5 + 2);
  CHECK(expected_cycles(code, card) == 1 + 9 + 5 + 2);
}

TEST_CASE("what does not need the late result makes up for it with its stall count") {
  // An H200 reads the second clock 7 cycles after an IMAD.HI that a LOP3 needs, and the LOP3's own 2 are over by then.
  const auto code = window({{"IMAD.HI.U32 R10, R2, R3, RZ", 5}, {"LOP3.LUT R11, R10, R5, RZ, 0x3c, !PT", 2}});
  CHECK(expected_cycles(code, card) == 1 + 9);
  // Eight in a row take 64 cycles there.
  std::vector<Line> chain(7, {"IMAD.HI.U32 R10, R10, R3, RZ", 6});
  chain.push_back({"IMAD.HI.U32 R10, R10, R3, RZ", 1});
  CHECK(expected_cycles(window(chain), card) == 64);
}

TEST_CASE("a modifier more is the same opcode; a modifier less is not") {
  CHECK(arrival_of("IMAD.HI.U32.X", card)->cycles == 9);
  CHECK(arrival_of("MUFU.RCP", card)->cycles == 17);
  CHECK(arrival_of("IMAD.HI", card) == nullptr);
  CHECK(arrival_of("IMAD", card) == nullptr);
  CHECK(arrival_of("", card) == nullptr);
  // Of a load it may be a different memory.
  const Arrivals loads = {{"LDG.E", {false, 31}}};
  CHECK(arrival_of("LDG.E", loads)->cycles == 31);
  CHECK(arrival_of("LDG.E.STRONG.SYS", loads) == nullptr);
}

TEST_CASE("matrix instructions share a pipe: if it holds back one, it may hold back all") {
  CHECK(is_interlocked("HMMA.16816.F32", card));
  CHECK(is_interlocked("QMMA.16832.F32.E4M3.E4M3", card));
  CHECK(!is_interlocked("HFMA2.MMA", card));
  CHECK(!is_interlocked("MUFU.RCP", card));
  CHECK(!is_interlocked("HMMA.16816.F32", {{"IMAD.HI", {true, 9}}}));
}

TEST_CASE("there is no expectation for what the card does not tell") {
  CHECK(!expected_cycles(unknown_opcode(), card));
  CHECK(!expected_cycles(window({{"@P0 BRA 0x200", 5}, {"FADD R11, R2, R3", 2}}), card));
  CHECK(!expected_cycles(window({{"BAR.SYNC.DEFER_BLOCKING 0x0", 5}}), card));
  CHECK(!expected_cycles(window({{"FADD R11, R2, R3", 0}}), card));
  // A scoreboard that is held until the operands are read.
  CHECK(!expected_cycles(window({{"STS [R2], R3", 2, 7, 0, 0}, {"MOV R3, R5", 2, 7, wait_0}}), card));
}
