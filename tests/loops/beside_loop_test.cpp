// SPDX-License-Identifier: Apache-2.0

// What an instruction becomes beside a loop, proven by a second one.
#include "loops/beside_loop.h"

#include <iterator>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::loops;

namespace {

using Texts = std::vector<std::string>;

// A saturated kernel's window with this code before its loop.
sass::Window beside_window(const Texts& code) {
  Texts texts{"CS2R.32 R10, SR_CLOCKLO"};
  texts.insert(texts.end(), code.begin(), code.end());
  const Texts loop{"@P0 BRA 0x9a0", "VIADD R6, R6, 0x1", "PMTRIG 0x1", "@!P1 BRA 0x1f0", "CS2R.32 R11, SR_CLOCKLO"};
  texts.insert(texts.end(), loop.begin(), loop.end());
  sass::Window window;
  for (const auto& text : texts) {
    const auto offset = 16 * static_cast<int>(window.instructions.size());
    window.instructions.push_back({offset, {}, {}, text});
  }
  return window;
}

// The code of one instruction, and what a second one adds.
std::vector<Texts> proven(const Texts& one, Texts more, const Texts& of_differential = {}) {
  more.insert(more.begin(), one.begin(), one.end());
  return code_beside_loop(beside_window(one), beside_window(more), of_differential);
}

const std::string pack = "F2FP.F16.F32.PACK_AB R9, RZ, R7", handle = "UMOV UR4, 0x1";

}  // namespace

TEST_CASE("an instruction is what a second one adds before the loop") {
  CHECK(proven({pack}, {pack}) == std::vector<Texts>{{"F2FP.F16.F32.PACK_AB"}});
  // What both share is not copied.
  CHECK(proven({handle, "TEX.LL R0, R2, R4, R5, 1D"}, {"TEX.LL R8, R2, R4, R5, 1D"}) == std::vector<Texts>{{"TEX.LL"}});
  const Texts two_instructions{"PRMT R3, R4, 0x8880, RZ", "SHF.R.S32.HI R5, RZ, 0x1f, R3"};
  CHECK(proven(two_instructions, two_instructions) == std::vector<Texts>{{"PRMT", "SHF.R.S32.HI"}});
}

TEST_CASE("what fills a uniform register for each of two instructions is not a part of them") {
  const Texts policy{"UMOV UR4, UR6", "UMOV UR5, UR7"};
  const Texts store{"PRMT R9, R11, 0x5410, R12", "ST.E desc[UR4][R6.64], R9"};
  Texts one{store[0], policy[0], policy[1], store[1]};
  CHECK(proven(one, store) == std::vector<Texts>{{"PRMT", "ST.E"}});
  CHECK(proven(one, {store[0], policy[0], store[1]}) == std::vector<Texts>{{"PRMT", "ST.E"}});
  INFO("but it is if it reads what the code makes");
  one = {store[0], "R2UR UR4, R9", store[1]};
  CHECK(proven(one, store).empty());
}

TEST_CASE("what is never executed is not a part of an instruction") {
  // ptxas puts four such loads before the first fence of a kernel, and a NOP before the second.
  const std::string never = "@!PT LDS RZ, [RZ]";
  const Texts own{"MEMBAR.ALL.CTA", "ATOMG.E.ADD.F32.FTZ.RN.STRONG.SM PT, R9, desc[UR8][R6.64], R11"};
  const Texts code{"MEMBAR.ALL.CTA", "ATOMG.E.ADD.F32.FTZ.RN.STRONG.SM"};
  CHECK(proven({never, never, never, never, own[0], own[1]}, {"NOP", own[0], own[1]}) == std::vector<Texts>{code});
}

TEST_CASE("two opcodes of one operation that ptxas takes in turn are both the instruction") {
  CHECK(proven({"IADD3 R3, R4, R5, RZ"}, {"IMAD.IADD R6, R7, 0x1, R8"}) ==
        std::vector<Texts>{{"IADD3"}, {"IMAD.IADD"}});
}

TEST_CASE("where two instructions are packed into one, a differential proves the code") {
  // Both conversions in one instruction; the second operand of the first is no longer zero.
  CHECK(proven({pack}, {}, {"F2FP.F16.F32.PACK_AB"}) == std::vector<Texts>{{"F2FP.F16.F32.PACK_AB"}});
  const auto packed =
      beside_window({"PRMT R11, R7, 0x5410, R8", "PRMT R14, R9, 0x5410, R10", "HADD2.BF16_V2 R11, R11, R14"});
  const auto one = beside_window({"HADD2.BF16_V2 R9, R7.H0_H0, R8.H0_H0"});
  CHECK(code_beside_loop(one, packed, {"HADD2.BF16_V2"}) == std::vector<Texts>{{"HADD2.BF16_V2"}});
  const Texts comparison{"HSETP2.NAN.AND P0, P1, R3, R3, PT"};
  CHECK(proven(comparison, {"PRMT R11, R7, 0x5410, R8"}).empty());
  CHECK(proven(comparison, {"PRMT R11, R7, 0x5410, R8"}, {"HSETP2.NAN.AND"}) == std::vector<Texts>{{"HSETP2.NAN.AND"}});
  CHECK(code_beside_loop(one, beside_window({"HFMA2.MMA.BF16_V2 R1, R2, 1, 1, R3"}), {"HFMA2.BF16_V2"}).empty());
}

TEST_CASE("of code that a differential proves, a second instruction may share a part") {
  // ptxas packs both conversions into one instruction, and each has a PRMT of its own.
  const Texts own{"PRMT R8, R8, 0x5410, R8"};
  const Texts one{"F2FP.BF16.F32.PACK_AB R8, RZ, R7", own[0]};
  CHECK(proven(one, own, {"F2FP.BF16.F32.PACK_AB", "PRMT"}) == std::vector<Texts>{{"F2FP.BF16.F32.PACK_AB", "PRMT"}});
  const Texts with_handle{handle, "TEX.LL R0, R2, R4, R5, 1D"};
  CHECK(proven(with_handle, {"TEX.LL R8, R2, R4, R5, 1D"}, {"UMOV", "TEX.LL"}) == std::vector<Texts>{{"TEX.LL"}});
}

TEST_CASE("code that nothing proves is not copied") {
  CHECK(proven({pack}, {}).empty());
  CHECK(proven({}, {}).empty());
  // A move that is shared could be one of the code's own, and one of the code's own the kernel's.
  const Texts own{"PRMT R3, R4, 0x8880, RZ", "SHF.R.S32.HI R5, RZ, 0x1f, R3"};
  Texts with_move{"MOV R8, R9"};
  with_move.insert(with_move.end(), own.begin(), own.end());
  CHECK(proven(with_move, own).empty());
  CHECK(proven(with_move, with_move).empty());
  CHECK(proven(with_move, with_move, {"PRMT", "MOV", "SHF.R.S32.HI"}) ==
        std::vector<Texts>{{"MOV", "PRMT", "SHF.R.S32.HI"}});
  CHECK(proven({pack, handle}, {"MOV R1, R2"}).empty());
  CHECK(proven({pack, pack}, {pack}).empty());
  const Texts call{pack, "CALL.ABS.NOINC 0x40"};
  CHECK(proven(call, call, {"F2FP.F16.F32.PACK_AB"}).empty());
}

TEST_CASE("moves that ptxas makes for an instruction are a part of its code if nothing else proves it") {
  const auto with_moves = [](const Texts& one, const Texts& two) {
    return code_with_moves(beside_window(one), beside_window(two));
  };
  const std::string compare = "DSETP.MAX.AND P1, P2, R6, R8, PT", select = "SEL R10, R10, R11, P1";
  const std::string move = "IMAD.MOV.U32 R10, RZ, RZ, R7", other_move = "MOV R9, R8", uniform = "UMOV UR4, UR6";
  const Texts code{compare, move, select, move};
  INFO("three moves for two instructions where one had two");
  CHECK(with_moves(code, {compare, move, compare, select, other_move, uniform, select}) ==
        std::vector<Texts>{{"DSETP.MAX.AND", "IMAD.MOV.U32", "SEL", "IMAD.MOV.U32"}});
  CHECK(with_moves(code, {compare, compare, select, move, select}).empty());
  CHECK(with_moves(code, {compare, move, compare, select, move}).empty());
  CHECK(with_moves(code, code).empty());
  CHECK(with_moves({move}, {move, move}).empty());
  const std::string call = "CALL.ABS.NOINC 0x40";
  CHECK(with_moves({compare, call}, {compare, call, compare, call}).empty());
}
