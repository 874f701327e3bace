// SPDX-License-Identifier: Apache-2.0
#include "sass/dataflow.h"

#include <set>

#include "catch.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

// Registers as numbers, which are short: R0… from 0, and so on.
constexpr int P = 256, UR = 512, UP = 768, CC = 1024;

// What an instruction of this text reads and writes. `halves`: what must be taken for read too, because it is the upper
// half of an operand.
struct Known {
  const char* text;
  std::set<int> writes, reads, halves = {};
};

// Spelled as nvdisasm 11.8 and 13.0 do.
const std::vector<Known> known_instructions{
    {"IADD3 R0, R1, R2, RZ", {0}, {1, 2}},
    {"IADD3 R0, P0, P1, R2, R3, R4", {0, P, P + 1}, {2, 3, 4}},
    {"IADD3 R0, P0, PT, R2, R3, RZ", {0, P}, {2, 3}},
    {"IADD3 R2, P0, R3, R4, RZ", {2, P}, {3, 4}},
    {"IADD3.X R5, R6, R7, RZ, P0, !PT", {5}, {6, 7, P, CC}},
    {"IADD3.X R5, PT, PT, R6, R7, RZ, P0, !PT", {5}, {6, 7, P, CC}},
    {"IADD3.X R5, P1, PT, ~R6, R7, RZ, P0, P2", {5, P + 1}, {6, 7, P, P + 2, CC}},
    {"VIADD R0, R1, 0x5", {0}, {1}},
    {"IMAD R0, R1, c[0x0][0x160], R2", {0}, {1, 2}},
    {"IMAD.X R5, RZ, RZ, R6, P0", {5}, {6, P, CC}},
    {"IMAD.HI.U32 R0, R1, R2, RZ", {0}, {1, 2}},
    {"IMAD.HI.U32 R0, P1, R1, R2, RZ", {0, P + 1}, {1, 2}},
    {"IMAD.WIDE R2, R4, R5, R6", {2, 3}, {4, 5, 6}, {7}},
    {"IMAD.WIDE.U32 R2, P0, R4, R5, R6", {2, 3, P}, {4, 5, 6}, {7}},
    {"IMAD.HI.U32 R6, R9, R8, R6", {6}, {9, 8, 6}, {7}},
    {"IMNMX.U64 PT, PT, R6, R6, R8, PT, !PT", {6, 7}, {6, 8}, {7, 9}},
    {"ISETP.GE.AND P0, PT, R2, R3, PT", {P}, {2, 3}},
    {"ISETP.GE.AND P0, P1, R2, R3, P2", {P, P + 1}, {2, 3, P + 2}},
    {"ISETP.EQ.AND.EX P0, PT, R3, R5, PT, P1", {P}, {3, 5, P + 1}},
    {"FSETP.GT.FTZ.AND P0, PT, |R0|, R1, !P3", {P}, {0, 1, P + 3}},
    {"DSETP.GT.AND P0, PT, R2, R4, PT", {P}, {2, 4}, {3, 5}},
    {"HSETP2.GT.AND P0, P1, R2.H0_H0, R3.H1_H1, PT", {P, P + 1}, {2, 3}},
    {"HSET2.BF.GT.AND R0, R1, R2, PT", {0}, {1, 2}},
    {"LOP3.LUT R0, R1, R2, RZ, 0x3c, !PT", {0}, {1, 2}},
    {"LOP3.LUT P0, RZ, R1, R2, RZ, 0x3c, !PT", {P}, {1, 2}},
    {"LOP3.LUT P0, R4, R1, R2, R3, 0x96, !PT", {P, 4}, {1, 2, 3}},
    {"PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0", {P}, {P + 1, P + 2}},
    {"SHFL.BFLY PT, R4, R2, R3, 0x1f", {4}, {2, 3}},
    {"SHFL.IDX P0, R4, R2, R3, R5", {P, 4}, {2, 3, 5}},
    {"VOTE.ANY R0, PT, P1", {0}, {P + 1}},
    {"VOTE.ALL P0, P1", {P}, {P + 1}},
    {"SEL R0, R1, R2, P0", {0}, {1, 2, P}},
    {"SEL R0, R1, R2, !P0", {0}, {1, 2, P}},
    {"FSEL R0, R1, -R2, P0", {0}, {1, 2, P}},
    {"FMNMX R0, R1, R2, PT", {0}, {1, 2}},
    {"VIMNMX.U32 R0, R1, R2, P0", {0}, {1, 2, P}},
    {"IMNMX R0, R1, R2, !PT", {0}, {1, 2}},
    {"DADD R2, R4, R6", {2, 3}, {4, 6}, {5, 7}},
    {"DFMA R2, R4, R6, R8", {2, 3}, {4, 6, 8}, {5, 7, 9}},
    {"MUFU.RCP R0, R1", {0}, {1}},
    {"MUFU.RCP64H R3, R5", {3}, {5}},
    {"FCHK P0, R1, R2", {P}, {1, 2}},
    {"P2R R0, PR, RZ, 0x7f", {0}, {P, P + 1, P + 2, P + 3, P + 4, P + 5, P + 6}},
    {"R2P PR, R0, 0x7f", {P, P + 1, P + 2, P + 3, P + 4, P + 5, P + 6}, {0}},
    {"POPC R0, ~R1", {0}, {1}},
    {"FLO.U32.SH R0, R1", {0}, {1}},
    {"PRMT R0, R1, 0x5410, R2", {0}, {1, 2}},
    {"LEA R0, P0, R2, R3, 0x2", {0, P}, {2, 3}},
    {"LEA.HI.X R3, R4, R5, R6, 0x2, P0", {3}, {4, 5, 6, P, CC}},
    {"SHF.L.W.U32.HI R0, R1, 0x7, R2", {0}, {1, 2}},
    {"IDP.4A.S8.U8 R0, R1, R2, R3", {0}, {1, 2, 3}},
    {"HADD2 R0, -R1.H0_H0, |R2|.H1_H1", {0}, {1, 2}},
    {"HFMA2.MMA R0, -RZ, RZ, 0, 0", {0}, {}},
    {"F2F.F64.F32 R2, R4", {2, 3}, {4}},
    {"F2F.F32.F64 R2, R4", {2}, {4}, {5}},
    {"F2I.S64.TRUNC R2, R4", {2, 3}, {4}},
    {"F2I.F64.TRUNC R2, R4", {2}, {4}, {5}},
    {"I2F.S64 R2, R4", {2}, {4}, {5}},
    {"I2F.F64 R2, R4", {2, 3}, {4}},
    {"F2FP.BF16.F32.PACK_AB R0, R1, R2", {0}, {1, 2}},
    {"FRND.F64.FLOOR R2, R4", {2, 3}, {4}, {5}},
    {"LDG.E.64 R2, [R4.64]", {2, 3}, {4, 5}},
    {"LDS R0, [R1+0x10]", {0}, {1}},
    {"LDC R0, c[0x3][R1]", {0}, {1}},
    {"STG.E.STRONG.SYS desc[UR4][R2.64+0x8], R5", {}, {UR + 4, UR + 5, 2, 3, 5}},
    {"S2R R0, SR_TID.X", {0}, {}},
    {"CS2R R2, SRZ", {2, 3}, {}},
    {"CS2R.32 R2, SR_CLOCKLO", {2}, {}},
    {"UIADD3 UR4, UR5, 0x1, URZ", {UR + 4}, {UR + 5}},
    {"USEL UR4, UR5, UR6, UP0", {UR + 4}, {UR + 5, UR + 6, UP}},
    {"R2UR UR4, R2", {UR + 4}, {2}},
    {"BRA 0x100", {}, {}},
    {"BSSY B0, 0x200", {}, {}},
    {"BAR.SYNC.DEFER_BLOCKING 0x0", {}, {}},
    {"NOP", {}, {}},
    {"EXIT", {}, {}},
    // Maxwell and Pascal, spelled as nvdisasm 12.3 does.
    {"IADD R4.CC, R0, R2", {4, CC}, {0, 2}},
    {"IADD.X R5, R2, RZ", {5}, {2, CC}},
    {"IADD RZ.CC, R4, R10", {CC}, {4, 10}},
    {"IADD.X R4.CC, R12, R13", {4, CC}, {12, 13, CC}},
    {"LEA.HI.X R3, R4, R5, R6, 0x2", {3}, {4, 5, 6, CC}},
    {"IMNMX.U32.XLO R6, R6, R4, PT", {6}, {6, 4, CC}},
    {"I2I.S32.S32 RZ.CC, R7", {CC}, {7}},
    {"CSETP.LT.AND P0, PT, CC, PT", {P}, {CC}},
    {"R2P CC, R19, 0xf", {CC}, {19}},
    {"XMAD.PSL.CBCC R11, R7.H1, R14.H1, R12", {11}, {7, 14, 12}},
    {"XMAD.CHI R17, R7.H1, R8.reuse, R5", {17}, {7, 8, 5}},
    {"IADD3.RS R12, R17, R15, R16", {12}, {17, 15, 16}},
    {"ICMP.NE.U32 R0, R0, 0x15, R6", {0}, {0, 6}},
    {"SSY 0x200", {}, {}},
};

std::set<int> as_set(const std::vector<Register>& registers) {
  std::set<int> numbers;
  for (const auto& [file, number] : registers) numbers.insert(256 * static_cast<int>(file) + number);
  return numbers;
}

}  // namespace

TEST_CASE("what an instruction reads and writes is read off its text") {
  for (const auto& known : known_instructions) {
    INFO(known.text);
    const auto use = register_use(known.text);
    CHECK(as_set(use.writes) == known.writes);
    // No upper half may be missed; one too many is harmless.
    auto read = as_set(use.reads), needed = known.reads;
    read.merge(as_set(use.may_read));
    needed.insert(known.halves.begin(), known.halves.end());
    CHECK(std::includes(read.begin(), read.end(), needed.begin(), needed.end()));
    CHECK(as_set(use.reads) == known.reads);
    CHECK_FALSE(use.is_predicated);
  }
}

TEST_CASE("a guard is read, and a guarded instruction may leave its destination unchanged") {
  const auto use = register_use("@!P3 IMAD.MOV.U32 R2, RZ, RZ, R4");
  CHECK(use.is_predicated);
  CHECK(as_set(use.reads) == std::set<int>{P + 3, 4});
  CHECK(as_set(use.writes) == std::set<int>{2});
  CHECK(as_set(register_use("@UP1 UIADD3 UR4, UR5, 0x1, URZ").reads) == std::set<int>{UP + 1, UR + 5});
  CHECK(as_set(register_use("@P0 BRA 0x100").reads) == std::set<int>{P});
}

TEST_CASE("a reuse mark, a sign and an absolute value do not hide a register") {
  CHECK(as_set(register_use("FFMA R0, -R1.reuse, |R2|, -|R3|").reads) == std::set<int>{1, 2, 3});
}

TEST_CASE("the upper half of a negated 64-bit operand is read too") {
  const auto use = register_use("DADD R2, R4, -R6");
  CHECK(as_set(use.may_read).contains(7));
}

TEST_CASE("a reduction over the warp has a result, unlike one in memory") {
  CHECK(as_set(register_use("REDUX.SUM UR4, R2").writes) == std::set<int>{UR + 4});
  CHECK(register_use("RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5").writes.empty());
}

TEST_CASE("an address, its offset and its descriptor are told from data") {
  const auto is_in = [](std::string_view text, RegisterFile file, int number) {
    return is_in_address(text, {file, number});
  };
  const std::string_view atomic = "@!P1 ATOMG.E.ADD.STRONG.GPU PT, R9, desc[UR6][R6.64+0x10], R11";
  CHECK(is_in(atomic, RegisterFile::general, 6));
  CHECK(is_in(atomic, RegisterFile::general, 7));
  CHECK(is_in(atomic, RegisterFile::uniform, 6));
  CHECK_FALSE(is_in(atomic, RegisterFile::general, 11));
  CHECK_FALSE(is_in(atomic, RegisterFile::general, 9));
  CHECK_FALSE(is_in(atomic, RegisterFile::predicate, 1));
  CHECK_FALSE(is_in("FADD R2, R3, R4", RegisterFile::general, 3));
}

TEST_CASE("no text is too strange to be read") {
  for (const char* text : {"", "@", "@P0", "R", "IADD3", "IADD3 ", "X R0,,R1", "[", "LDG R0, [", "SEL R0, R1, R2, P"}) {
    INFO(text);
    register_use(text);
    opcode_of(text);
    changes_control_flow(text);
  }
}

namespace {

// With nothing else leaving the window than what its last instruction makes.
std::vector<bool> slice_of_last(const Window& made) {
  return backward_slice(made, std::vector<bool>(made.instructions.size(), false));
}

}  // namespace

TEST_CASE("the backward slice has what the last instruction depends on, and nothing else") {
  const auto made = window({{"POPC R0, R2"},                           // 1: feeds 3
                            {"IADD3 R10, R2, R3, RZ"},                 // 2: feeds nothing
                            {"LOP3.LUT R0, R0, R5, RZ, 0x3c, !PT"}});  // 3: the last
  CHECK(slice_of_last(made) == std::vector<bool>{false, true, false, true, false});
}

TEST_CASE("a value that is overwritten before it is used is not in the slice, unless the overwriting is predicated") {
  CHECK(slice_of_last(window({{"MOV R0, R2"}, {"MOV R0, R3"}, {"IADD3 R1, R0, R5, RZ"}})) ==
        std::vector<bool>{false, false, true, true, false});
  CHECK(slice_of_last(window({{"MOV R0, R2"}, {"@P0 MOV R0, R3"}, {"IADD3 R1, R0, R5, RZ"}})) ==
        std::vector<bool>{false, true, true, true, false});
}

TEST_CASE("carries and upper halves keep what makes them in the slice") {
  CHECK(slice_of_last(window({{"IADD3 R0, P0, R2, R3, RZ"}, {"IADD3.X R1, R2, R5, RZ, P0, !PT"}}))[1]);
  // R1 is the upper half of the pair that DADD reads.
  CHECK(slice_of_last(window({{"MOV R1, R3"}, {"DADD R10, R0, R12"}}))[1]);
}

TEST_CASE(
    "what makes a stored value is a result, and both halves of one are; addresses and the loop's counter are not") {
  const std::vector<Line> halves{{"SHF.L.U64.HI R11, R6, R9, R7"},  // 1: upper half
                                 {"IADD3 R20, R20, 0x1, RZ"},       // 2: counts passes
                                 {"SHF.L.U32 R10, R6, R9, RZ"},     // 3: lower half
                                 {"IADD3 R4, R4, 0x8, RZ"}};        // 4: an address
  const std::vector<Line> loop{{"ISETP.NE.AND P0, PT, R20, 0x4, PT"}, {"@P0 BRA 0x50"}, {"EXIT"}};
  const auto ended = [&](std::vector<Line> lines) {
    lines.insert(lines.end(), loop.begin(), loop.end());
    return live_results(with_epilogue(window(halves), lines));
  };
  const std::vector<bool> both{false, true, false, true, false, false};
  CHECK(ended({{"STG.E.64.STRONG.SYS desc[UR4][R4.64+0x10], R10"}}) == both);
  CHECK(ended({{"LOP3.LUT R0, R10, R11, R12, 0x96, !PT"}, {"STG.E.STRONG.SYS desc[UR4][R4.64], R0"}}) == both);
  CHECK(ended({{"STG.E.STRONG.SYS desc[UR4][R4.64+0x10], R11"}}) ==
        std::vector<bool>{false, true, false, false, false, false});
  INFO("another value in the same register");
  CHECK(ended({{"MOV R10, R30"}, {"STG.E.STRONG.SYS desc[UR4][R4.64+0x10], R10"}}) ==
        std::vector<bool>(halves.size() + 2, false));
}

TEST_CASE("a stored register is one result, that of the last to write it, unless that is predicated") {
  const std::vector<Line> store{{"STG.E.STRONG.SYS desc[UR4][R4.64+0x10], R0"}};
  CHECK(live_results(with_epilogue(window({{"MOV R0, R2"}, {"MOV R0, R3"}}), store)) ==
        std::vector<bool>{false, false, true, false});
  CHECK(live_results(with_epilogue(window({{"MOV R0, R2"}, {"@P0 MOV R0, R3"}}), store)) ==
        std::vector<bool>{false, true, true, false});
}

TEST_CASE("the slice of two results holds what each depends on") {
  const auto made = window({{"ISETP.LT.AND P0, PT, R2, R3, PT"}, {"SEL R10, R2, R3, P0"}, {"SEL R11, R5, R7, P0"}});
  CHECK(slice_of_last(made) == std::vector<bool>{false, true, false, true, false});
  const auto stored = with_epilogue(made, {{"STG.E.64.STRONG.SYS desc[UR4][R4.64+0x10], R10"}});
  CHECK(backward_slice(stored, live_results(stored)) == std::vector<bool>{false, true, true, true, false});
}

TEST_CASE("a window without anything between the clocks has an empty slice") {
  CHECK(slice_of_last(window({})) == std::vector<bool>{false, false});
  CHECK(clock_copies(window({})) == std::vector<bool>{false, false});
}

TEST_CASE("copies of the first clock reading are distinguished from copies of operands") {
  const auto made = window({{"MOV R20, R8"}, {"MOV R21, R2"}, {"MOV R22, R20"}, {"MOV R8, R3"}, {"MOV R23, R8"}});
  CHECK(clock_copies(made) == std::vector<bool>{false, true, false, true, false, false, false});
}
