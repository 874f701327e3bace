// SPDX-License-Identifier: Apache-2.0

// Every verdict, from windows written by hand: code that the assembler was seen to generate for the traps in
// docs/method.md.
#include "sass/audit.h"

#include "catch.h"
#include "sass/audit_parts.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

const Line popc{"POPC R0, R2", 2, 0};
const Line waiting_xor{"LOP3.LUT R1, R0, R5, RZ, 0x3c, !PT", 5, 7, 1};
const Line plain_xor{"LOP3.LUT R1, R2, R5, RZ, 0x3c, !PT", 5};
const Window xor_base = window({plain_xor});

void check(const Audit& audit, Verdict verdict, const std::string& reason) {
  INFO(audit.reason);
  CHECK(audit.verdict == verdict);
  CHECK(audit.reason.find(reason) != std::string::npos);
}

// So many IADD3, each on the last one's result.
Window additions(int count, const std::string& other = "IADD3 R2, R2, R3, RZ") {
  std::vector<Line> lines;
  for (int i = 0; i < count; ++i) lines.push_back({i % 2 == 0 ? "IADD3 R2, R2, R3, RZ" : other, 4});
  return window(lines);
}

}  // namespace

TEST_CASE("an instruction, its consumer and nothing else between the clocks are proven") {
  CHECK(audit_base(xor_base).is_proven());
  const auto audit = audit_differential(window({popc, waiting_xor}), xor_base);
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"POPC"});
}

TEST_CASE("an instruction that became several is proven with all of them, in program order") {
  const auto audit = audit_differential(
      window({{"FMUL R0, R2, 1.4426950216293335", 4}, {"MUFU.EX2 R0, R0", 1, 0}, waiting_xor}), xor_base);
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"FMUL", "MUFU.EX2"});
}

TEST_CASE("a consumer that merged with the instruction is fused") {
  const auto and_xor = window({{"LOP3.LUT R1, R2, R5, R3, 0x6a, !PT", 5}});
  check(audit_differential(and_xor, xor_base), Verdict::fused, "consumer");
  const auto fma = window({{"FFMA R1, R2, R3, R5", 4}});
  check(audit_differential(fma, window({{"FADD R1, R2, R5", 4}})), Verdict::fused, "consumer");
}

TEST_CASE("an instruction of the consumer's shape is not the consumer, which merged with the last one") {
  const std::vector<Line> stores{{"STG.E.STRONG.SYS desc[UR4][R22.64+0x10], R1"}};
  const auto base = with_epilogue(window({plain_xor}), stores);
  const std::vector<Line> hash{{"SHF.R.U32.HI R0, RZ, 0x16, R2", 4},
                               {"LOP3.LUT R0, R2, R0, RZ, 0x3c, !PT", 4},
                               {"SHF.R.U32.HI R4, RZ, 0xb, R0", 4}};
  auto merged = hash, whole = hash;
  merged.push_back({"LOP3.LUT R1, R0, R4, R5, 0x96, !PT", 5});
  check(audit_differential(with_epilogue(window(merged), stores), base), Verdict::fused, "consumer");
  whole.push_back({"LOP3.LUT R0, R0, R4, RZ, 0x3c, !PT", 4});
  whole.push_back({"LOP3.LUT R1, R0, R5, RZ, 0x3c, !PT", 5});
  const auto audit = audit_differential(with_epilogue(window(whole), stores), base);
  check(audit, Verdict::proven, "");
  CHECK(audit.sass.size() == 4);
}

TEST_CASE("a window with an instruction that the disassembler does not know proves nothing") {
  check(audit_differential(window({{"UNKNOWN", 2, 0}, waiting_xor}), xor_base), Verdict::contaminated,
        "does not know an instruction: 0060");
}

TEST_CASE("of two stored values of the consumer's shape, the consumer's is stored where the base stores it") {
  const std::vector<Line> stores{{"STG.E.STRONG.SYS desc[UR4][R6.64+0x10], R7"},
                                 {"STG.E.STRONG.SYS desc[UR4][R6.64+0x20], R11"}};
  const Line consumer{"FADD R7, R10, R5", 4};
  const auto base = with_epilogue(window({{"FADD R7, R2, R5", 4}}), stores);
  INFO("the rest of a snippet reads the result again");
  const auto again = with_epilogue(window({{"FADD R10, R2, R3", 4}, consumer, {"FADD R11, R10, R10", 4}}), stores);
  CHECK(find_consumer(again, base).is_consumer == std::vector<bool>{false, false, true, false, false});
  const auto other = with_epilogue(window({{"FADD R10, R2, R3", 4}, {"FADD R11, R10, R10", 4}}), stores);
  CHECK(find_consumer(other, base).changed == "FADD R7, R2, R5");
}

TEST_CASE("a window in which only the consumer is left is elided") {
  check(audit_differential(xor_base, xor_base), Verdict::elided, "nothing is between the clocks but the consumer");
  check(audit_base(window({})), Verdict::elided, "consumer");
}

TEST_CASE("a part that was computed before the first clock is found: the reciprocal of div.approx") {
  auto prologue = usual_prologue();
  prologue.push_back({"MUFU.RCP R10, R3", 2, 0});
  prologue.push_back({"NOP", 2, 7, 1});
  const auto hoisted = window({{"FMUL R0, R2, R10", 4}, {"FADD R1, R0, R5", 4}}, prologue);
  const auto audit = audit_differential(hoisted, window({{"FADD R1, R2, R5", 4}}));
  check(audit, Verdict::elided, "MUFU.RCP R10, R3");
}

TEST_CASE("an instruction without operands that was carried out before the first clock is elided") {
  const Expectation expected{.is_arithmetic = false, .has_sources = false};
  auto prologue = usual_prologue();
  prologue.push_back({"S2UR UR6, SR_CTAID.Y", 1, 3});
  prologue.push_back({"MOV R10, R5", 4, 7, 0x3f});
  const Line consumer{"SHF.L.W.U32.HI R7, R7, 0x7, R10", 5};
  const auto base = window({consumer}, prologue);
  const auto hoisted = window({{"MOV R7, UR6", 4}, consumer}, prologue);
  check(audit_differential(hoisted, base, expected), Verdict::elided, "S2UR UR6, SR_CTAID.Y");
  auto partly = prologue;
  partly.push_back({"S2R R11, SR_SMEMSZ", 1, 3});
  const auto sum = window({{"LDC R7, c[0x0][0x114]", 2, 4}, {"IADD3 R7, R7, R11, RZ", 4, 7, 0x10}, consumer}, partly);
  check(audit_differential(sum, base, expected), Verdict::elided, "S2R R11, SR_SMEMSZ");

  const auto inside = window({{"S2R R7, SR_CTAID.Y", 2, 4}, {"SHF.L.W.U32.HI R7, R7, 0x7, R10", 5, 7, 0x10}}, prologue);
  check(audit_differential(inside, base, expected), Verdict::proven, "");
  INFO("a literal, a copy of the consumer's operand, and the stack pointer, which is always in its register");
  auto literal = prologue;
  literal.push_back({"UMOV UR7, 0x20", 1});
  check(audit_differential(window({{"MOV R7, UR7", 4}, consumer}, literal), base, expected), Verdict::proven, "");
  const auto copied = window({{"CS2R.32 R7, SR_PM0", 4}, {"MOV R12, R5", 4}, consumer}, prologue);
  check(audit_differential(copied, base, expected), Verdict::proven, "");
  auto kernel = prologue;
  kernel.push_back({"LDC R1, c[0x0][0x28]", 1, 3});
  check(audit_differential(window({{"MOV R7, R1", 4}, consumer}, kernel), base, expected), Verdict::proven, "");
  INFO("with operands, a uniform register may be one");
  check(audit_differential(hoisted, base, {.is_arithmetic = false}), Verdict::proven, "");
}

TEST_CASE("a subroutine's result was not computed before the first clock") {
  auto prologue = usual_prologue();
  prologue.push_back({"ISET.NE.U32.AND R10, R0, 0xdead, PT", 6});
  const Window base = window({{"LOP.XOR R7, R2, R5", 6}}, prologue);
  const auto called = window({{"CAL 0x400", 13}, {"LOP.XOR R7, R10, R5", 6}}, prologue);
  const auto audit = audit_differential(called, base);
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"CAL"});
}

TEST_CASE("constants that stand before the first clock are operands, not a part of the instruction") {
  auto prologue = usual_prologue();
  for (const char* text : {"MOV R10, 0x3f800000", "IMAD.MOV.U32 R11, RZ, RZ, 0x7", "HFMA2.MMA R12, -RZ, RZ, 1.875, 0"})
    prologue.push_back({text, 5});
  const auto made = window({{"FFMA R0, R10, R11, R12", 4}, {"FADD R1, R0, R5", 4}}, prologue);
  CHECK(audit_differential(made, window({{"FADD R1, R2, R5", 4}})).is_proven());
}

TEST_CASE("a load or an address in the window contaminates it") {
  for (const char* text : {"LDG.E R5, desc[UR4][R6.64]", "ULDC.64 UR4, c[0x0][0x208]", "LDC R5, c[0x0][0x210]",
                           "S2R R5, SR_TID.X", "STG.E desc[UR4][R6.64], R2", "BAR.SYNC.DEFER_BLOCKING 0x0"}) {
    INFO(text);
    check(audit_differential(window({{text}, popc, waiting_xor}), xor_base), Verdict::contaminated, text);
  }
}

TEST_CASE("waiting for what was started before the first clock contaminates a window") {
  auto prologue = usual_prologue();
  prologue.push_back({"STG.E desc[UR4][R6.64], R2", 2, 7, 0, 3});
  const Line waits_for_store{"POPC R0, R2", 2, 0, 0x8};
  check(audit_differential(window({waits_for_store, waiting_xor}, prologue), xor_base), Verdict::contaminated,
        "mask 0x8");
  // The same wait before the first clock is harmless.
  prologue.push_back({"NOP", 2, 7, 0x8});
  CHECK(audit_differential(window({waits_for_store, waiting_xor}, prologue), xor_base).is_proven());
}

TEST_CASE("scoreboards that the stores of the previous pass may still hold count as held before the first clock") {
  CHECK(pending_scoreboards(window({}, {})) == 0x3f);
  check(audit_differential(window({{"POPC R0, R2", 2, 0, 0x20}, waiting_xor}, {{"NOP"}}), xor_base),
        Verdict::contaminated, "mask 0x20");
}

TEST_CASE("a wait of the second clock itself for something foreign contaminates too") {
  auto prologue = usual_prologue();
  prologue.push_back({"LDG.E R14, desc[UR4][R6.64]", 2, 4});
  auto made = window({popc, waiting_xor}, prologue);
  made.instructions.back().control.wait_mask = 0x10;
  check(audit_differential(made, xor_base), Verdict::contaminated, "mask 0x10");
}

TEST_CASE("what -O0 leaves in a window belongs to the instruction, with the longest stalls or none") {
  const auto left = [](int stall) {
    const Line consumer{"LOP3.LUT R6, R4, R5, RZ, 0x3c, !PT", stall};
    auto made = window({{"MOV R4, RZ", stall}, {"IADD3 R4, R2, R3, RZ", stall}, consumer});
    auto base = window({consumer});
    for (auto* each : {&made, &base}) each->instructions.front().control.stall_count = stall;
    return audit_differential(made, base);
  };
  check(left(15), Verdict::proven, "");
  check(left(0), Verdict::proven, "");
  check(left(4), Verdict::contaminated, "feeds nothing");
}

TEST_CASE("an instruction that feeds nothing contaminates a window") {
  check(audit_differential(window({popc, {"IADD3 R14, R2, R3, RZ"}, waiting_xor}), xor_base), Verdict::contaminated,
        "IADD3 R14");
}

TEST_CASE("code for a result that nothing reads is the instruction's, if the instruction alone has as much of it") {
  const std::vector<Line> code{
      popc, {"IADD3 RZ, P0, R2, R3, RZ"}, {"IADD3.X RZ, P0, R2, R3, RZ, P0, !PT"}, waiting_xor};
  const auto by = [&](std::vector<std::string> alone) {
    Expectation expected;
    expected.alone = std::move(alone);
    return audit_differential(window(code), xor_base, expected);
  };
  CHECK(by({"POPC", "IADD3", "IADD3.X"}).is_proven());
  check(by({"POPC", "IADD3.X"}), Verdict::contaminated, "IADD3 RZ");
  INFO("what feeds the result uses up its own");
  auto twice = code;
  twice.insert(twice.begin() + 1, {"POPC R14, R2"});
  Expectation expected;
  expected.alone = {"POPC", "IADD3", "IADD3.X"};
  check(audit_differential(window(twice), xor_base, expected), Verdict::contaminated, "POPC R14");
}

TEST_CASE("an instruction on the uniform datapath is a different instruction") {
  auto prologue = usual_prologue();
  prologue.push_back({"R2UR UR6, R2", 2, 0});
  prologue.push_back({"NOP", 2, 7, 1});
  const auto uniform = window({{"UPOPC UR7, UR6", 8}, {"LOP3.LUT R1, R2, UR7, RZ, 0x3c, !PT", 5}}, prologue);
  const auto audit = audit_differential(uniform, window({{"LOP3.LUT R1, R2, UR7, RZ, 0x3c, !PT", 5}}, prologue));
  CHECK_FALSE(audit.is_proven());
}

namespace {

// The window of an instruction with objects whose class of values is the usual one.
Audit audit_of_prepared(const std::vector<Line>& between) {
  Expectation expected{false, 0, {}};
  expected.operands_are_prepared = true;
  return audit_waiting(window(between), window({}), expected);
}

}  // namespace

TEST_CASE("what brings an operand into a uniform register belongs before the window") {
  check(audit_of_prepared({{"UBLKCP.S.G [UR8], [UR4], UR6", 2}}), Verdict::proven, "");
  // A texture's handle that was loaded.
  check(audit_of_prepared({{"R2UR UR4, R2", 10}, {"TEX.LL R12, R8, R8, R12, UR4, 0x0, 2D", 2, 0}}),
        Verdict::contaminated, "prepares an operand between the clocks: 0060 R2UR UR4, R2");
  // Neighbouring registers that are not neighbours, the last addition of an address, a parameter of the kernel.
  check(audit_of_prepared({{"UMOV UR4, UR6", 2}, {"UMOV UR5, UR8", 2}, {"UBLKCP.S.G [UR10], [UR4], UR14", 2}}),
        Verdict::contaminated, "UMOV UR4, UR6");
  check(audit_of_prepared({{"UIADD3 UR16, UP1, UR10, 0x10000, URZ", 2}, {"UBLKCP.S.G [UR6], [UR16], UR4", 2}}),
        Verdict::contaminated, "UIADD3");
  check(audit_of_prepared({{"ULDC UR4, c[0x0][0x220]", 2}, {"TXQ RZ, R7, R9, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1", 2}}),
        Verdict::contaminated, "ULDC");
  // Shared memory's window in generic addresses.
  check(audit_of_prepared({{"S2R R9, SR_SWINHI", 1, 0}, {"MOV R7, R9", 6, 7, 1}, {"LD.E R7, [R6]", 2, 2}}),
        Verdict::contaminated, "S2R R9, SR_SWINHI");
  // A loop over lanes that might differ, recognised by what it takes from the elected lane.
  check(audit_of_prepared({{"PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0", 2},
                           {"@P0 ELECT P1, URZ, PT", 13},
                           {"@P1 R2UR UR14, R2", 2},
                           {"UBLKCP.S.G [UR6], [UR14], UR4", 2},
                           {"@P0 BRA.U.ANY 0x80", 5}}),
        Verdict::contaminated, "@P1 R2UR UR14, R2");
}

TEST_CASE("uniform registers made from an instruction's literals or its own results are its own") {
  check(audit_of_prepared({{"UMOV UR6, 0x1", 2}, {"UBLKCP.S.G [UR8], [UR4], UR6", 2}}), Verdict::proven, "");
  check(audit_of_prepared({{"UMOV UR4, 0x1", 2},
                           {"UIADD3 UR4, -UR4, 0x100000, URZ", 2},
                           {"USHF.L.U32 UR5, UR4, 0xb, URZ", 2},
                           {"SYNCS.EXCH.64 URZ, [UR7], UR4", 2}}),
        Verdict::proven, "");
  check(audit_of_prepared({{"FMUL R8, R2, 15.989999771118164062", 4},
                           {"F2I.U32.TRUNC.NTZ R8, R8", 2, 0},
                           {"R2UR UR4, R8", 10, 7, 1},
                           {"USHF.L.U32 UR5, UR4, 0x14, URZ", 2}}),
        Verdict::proven, "");
}

TEST_CASE("what puts several operands into one register of the machine belongs to the instruction") {
  check(audit_of_prepared({{"UMOV UR8, UR12", 1},
                           {"UMOV UR9, 0x8100014", 2},
                           {"UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR10], tmem[UR8], idesc[UR9], UPT", 1}}),
        Verdict::proven, "");
  check(audit_of_prepared({{"UPRMT UR6, UR8, 0x5410, UR9", 2}, {"UTMALDG.3D.IM2COL [UR8], [UR4], UR6", 2}}),
        Verdict::proven, "");
}

TEST_CASE("what prepares an operand for all copies of a stream cancels, for each copy it does not") {
  const Line half{"UMOV UR4, UR8", 2}, other_half{"UMOV UR4, UR9", 2}, prefetch{"UTMACCTL.PF [UR4]", 2};
  Expectation expected{false, 0, {}};
  expected.operands_are_prepared = true;
  const auto stream = [&](const std::vector<Line>& shorter, const std::vector<Line>& longer) {
    return audit_stream(window(shorter), window(longer), 1, {}, expected);
  };
  check(stream({half, prefetch}, {half, prefetch, prefetch}), Verdict::proven, "");
  check(stream({half, prefetch}, {half, prefetch, other_half, prefetch}), Verdict::contaminated,
        "copies prepare their operands between the clocks");
}

TEST_CASE("where lanes may differ, operands are prepared between the clocks") {
  const std::vector<Line> loaded_handle{{"R2UR UR4, R2", 10}, {"TEX.LL R12, R8, R8, R12, UR4, 0x0, 2D", 2, 0}};
  check(audit_waiting(window(loaded_handle), window({}), {false, 0, {}}), Verdict::proven, "");
}

TEST_CASE("a uniform register that was computed before the first clock is an operand where operands are prepared") {
  auto prologue = usual_prologue();
  prologue.push_back({"UIADD3 UR6, UR4, UR8, URZ", 2});
  const auto with = window({{"IADD3 R0, R2, UR6, RZ", 4}, {"LOP3.LUT R1, R0, R5, RZ, 0x3c, !PT", 5}}, prologue);
  check(audit_differential(with, xor_base), Verdict::elided, "computed before the first clock");
  Expectation expected;
  expected.operands_are_prepared = true;
  check(audit_differential(with, xor_base, expected), Verdict::proven, "");
}

TEST_CASE("a bracket is proven if the whole instruction, and no more, is between the clocks") {
  const std::vector<std::string> sass{"FMUL", "MUFU.EX2"};
  const Line mul{"FMUL R0, R2, R3", 4}, ex2{"MUFU.EX2 R0, R0", 2, 0};
  CHECK(audit_bracket(window({mul, ex2}), sass).is_proven());
  check(audit_bracket(window({ex2}), sass), Verdict::elided, "FMUL");
  check(audit_bracket(window({}), sass), Verdict::elided, "nothing is between the clocks");
  check(audit_bracket(window({mul, ex2, {"FADD R1, R2, R3", 4}}), sass), Verdict::contaminated, "FADD");
}

TEST_CASE("the same operation on a different pipe is the same instruction to a bracket") {
  CHECK(audit_bracket(window({{"IMAD.IADD R0, R2, 0x1, R3", 4}}), {"IADD3"}).is_proven());
}

TEST_CASE("a chain whose steps are all there is proven with one step's opcodes") {
  const auto audit = audit_chain(additions(4), additions(8), 4, {"IADD3"});
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"IADD3"});
}

TEST_CASE("a chain whose steps change between pipes is proven: they are one operation") {
  const std::string other = "IMAD.IADD R2, R2, 0x1, R3";
  CHECK(audit_chain(additions(4, other), additions(8, other), 4, {"IADD3"}).is_proven());
}

TEST_CASE("a chain in which two steps became one instruction is fused") {
  check(audit_chain(additions(2), additions(4), 4, {"IADD3"}), Verdict::fused, "4 more steps make 2 more");
}

TEST_CASE("a chain that lost a part of each step is fused") {
  check(audit_chain(additions(4), additions(8), 4, {"IADD3", "IADD3.X"}), Verdict::fused,
        "where the instruction alone is 2");
}

TEST_CASE("a chain that folded away is elided") {
  check(audit_chain(additions(1), additions(1), 4, {"IADD3"}), Verdict::elided, "folded");
}

TEST_CASE("what both chains do once before their first step is not a part of it") {
  const auto chain = [](int steps, const std::string& first) {
    std::vector<Line> lines{{first, 5}};
    lines.insert(lines.end(), static_cast<std::size_t>(steps), Line{"IMAD R2, R3, R6, R2", 4});
    return window(lines);
  };
  const std::string negation = "IADD3 R6, -R3, RZ, RZ";
  const auto audit = audit_chain(chain(4, negation), chain(8, negation), 4, {"IMAD"});
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"IMAD"});
  // It does not cancel if only one of them does it, and it is a part of the step if the instruction alone has it.
  check(audit_chain(chain(4, negation), chain(8, "SHF.L.U32 R6, R3, 0x1, RZ"), 4, {"IMAD"}), Verdict::fused, "");
  check(audit_chain(chain(4, negation), chain(8, negation), 4, {"IADD3", "IMAD"}), Verdict::fused, "");
}

TEST_CASE("a part of the first step that was computed before both chains cancels, one of every step does not") {
  // x + table(x): the comparison of the first x may come before the clock.
  const auto chain = [](int steps, bool is_hoisted, bool is_shared = false) {
    auto prologue = usual_prologue();
    if (is_hoisted) prologue.push_back({"HSET2.BF.EQ.AND R10, R2.H0_H0, 0.5, 0.5, PT", 5});
    std::vector<Line> lines;
    for (int i = 0; i < steps; ++i) {
      if ((i > 0 || !is_hoisted) && !is_shared) lines.push_back({"HSET2.BF.EQ.AND R10, R2.H0_H0, 0.5, 0.5, PT", 5});
      lines.push_back({"HFMA2 R2, R10, R3, R2", 4});
    }
    return window(lines, prologue);
  };
  const auto audit = audit_chain(chain(4, true), chain(8, true), 4, {});
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"HSET2.BF.EQ.AND", "HFMA2"});
  check(audit_chain(chain(4, true), chain(8, false), 4, {}), Verdict::elided, "HSET2");
  check(audit_chain(chain(4, false), chain(8, true), 4, {}), Verdict::elided, "HSET2");
  check(audit_chain(chain(4, true, true), chain(8, true, true), 4, {}), Verdict::contaminated, "");
}

TEST_CASE("chains that are two different programs are not compared") {
  std::vector<Line> others(8, Line{"VIMNMX R2, R2, R3, PT", 4});
  check(audit_chain(additions(4), window(others), 4, {"IADD3"}), Verdict::contaminated, "");
}

TEST_CASE("a load of an operand that is not before the first clock has drifted") {
  const Expectation three{true, 3}, four{true, 4};
  const auto made = window({popc, waiting_xor});
  CHECK(audit_differential(made, xor_base, three).is_proven());
  check(audit_differential(made, xor_base, four), Verdict::contaminated,
        "1 of the 4 loads of operands are not before the first clock");
  check(audit_base(xor_base, four), Verdict::contaminated, "1 of the 4 loads");
  check(audit_stream(additions(4), additions(8), 4, {}, four), Verdict::contaminated, "1 of the 4 loads");
  check(audit_waiting(made, xor_base, {false, 4}), Verdict::contaminated, "1 of the 4 loads");
}

TEST_CASE("code that reads memory or special registers may be the instruction itself if it is not arithmetic") {
  const Line load{"LDG.E R0, desc[UR4][R2.64]", 2, 0};
  const auto made = window({load, waiting_xor});
  check(audit_differential(made, xor_base), Verdict::contaminated, "belongs to the skeleton");
  const auto audit = audit_differential(made, xor_base, {false, 3});
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"LDG.E"});
}

TEST_CASE("the wait for an effect is subtracted, and alone it is not an instruction") {
  const Line copy{"LDGSTS.E [R3], desc[UR4][R2.64]", 2, 7, 0, 0}, commit{"LDGDEPBAR", 2, 0},
      wait{"DEPBAR.LE SB0, 0x0", 5, 7, 1};
  const auto audit = audit_waiting(window({copy, commit, wait}), window({commit, wait}));
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"LDGSTS.E"});
  check(audit_waiting(window({commit, wait}), window({commit, wait})), Verdict::elided, "but the wait for it");
  auto prologue = usual_prologue();
  prologue.push_back({"LDG.E R14, desc[UR4][R6.64]", 2, 4});
  check(audit_waiting(window({{"LDGSTS.E [R3], desc[UR4][R2.64]", 2, 7, 0x10}, wait}, prologue), window({wait})),
        Verdict::contaminated, "mask 0x10");
}

TEST_CASE("the empty wgmma that ptxas puts into a group without one does not count as a wgmma") {
  const Line arrive{"WARPGROUP.ARRIVE", 6}, wait{"WARPGROUP.DEPBAR.LE gsb0, 0x0", 2},
      empty{"HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0", 3},
      real{"HGMMA.64x8x16.F16 R24, gdesc[UR4], R24, gsb0", 3};
  const auto audit = audit_waiting(window({arrive, real, wait}), window({arrive, empty, wait}));
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"HGMMA.64x8x16.F16"});
}

TEST_CASE("a chain whose steps wait after a NOP is one of the instruction alone") {
  const auto steps = [](int count) {
    std::vector<Line> lines;
    for (int i = 0; i < count; ++i) {
      lines.push_back({"DADD R2, R2, R3", 15});
      if (i + 1 < count) lines.push_back({"NOP", 9});
    }
    return window(lines);
  };
  const auto audit = audit_chain(steps(4), steps(8), 4, {"DADD"});
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"DADD"});
}

TEST_CASE("a stream is proven if each copy that the longer has more is whole") {
  const auto copies = [](int count, const std::vector<std::string>& each) {
    std::vector<Line> lines;
    for (int i = 0; i < count; ++i) {
      for (const auto& opcode : each) lines.push_back({opcode + " R" + std::to_string(20 + i) + ", R2", 2});
    }
    return window(lines);
  };
  const std::vector<std::string> two = {"FMUL", "MUFU.EX2"};
  const auto audit = audit_stream(copies(4, two), copies(8, two), 4, two);
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == two);
  check(audit_stream(copies(4, two), copies(4, two), 4, two), Verdict::elided, "no more instructions");
  check(audit_stream(copies(4, two), copies(7, two), 4, two), Verdict::fused, "4 more copies make 6 more");
  check(audit_stream(copies(4, {"FMUL"}), copies(8, {"FMUL"}), 4, two), Verdict::fused,
        "where the instruction alone is 2");
}

TEST_CASE("a stream of one NOP a copy is of instructions with nothing to do; other NOPs are padding") {
  const auto padded = [](int count) {
    std::vector<Line> lines(static_cast<std::size_t>(count), {"NOP", 1});
    return window(lines);
  };
  const auto audit = audit_stream(padded(4), padded(8), 4, {}, {});
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"NOP"});
  check(audit_stream(padded(4), padded(5), 4, {}, {}), Verdict::elided, "no more instructions");
  check(audit_stream(padded(4), padded(8), 4, {"FMUL"}, {}), Verdict::elided, "no more instructions");
}

TEST_CASE("a stream whose end waits for its copies is contaminated, unless the other one waits too") {
  const auto copies = [](int count, int wait_mask) {
    std::vector<Line> lines;
    for (int i = 0; i < count; ++i) lines.push_back({"POPC R" + std::to_string(20 + i) + ", R2", 2, 0});
    lines.push_back({"@P0 BRA 0x500", 5, 7, wait_mask});
    return window(lines);
  };
  CHECK_FALSE(end_waits(copies(4, 0)));
  CHECK(end_waits(copies(4, 0x1)));
  auto clock_waits = copies(4, 0);
  clock_waits.instructions.back().control.wait_mask = 0x1;
  CHECK(end_waits(clock_waits));
  INFO("a copy that waits for an earlier one is the instruction's own business");
  auto inside = copies(4, 0);
  inside.instructions.at(2).control.wait_mask = 0x1;
  CHECK_FALSE(end_waits(inside));
  INFO("without optimisation everything waits");
  auto unoptimised = copies(4, 0x1);
  for (auto& instruction : unoptimised.instructions) instruction.control.stall_count = 15;
  CHECK_FALSE(end_waits(unoptimised));

  const std::vector<std::string> popcs = {"POPC"};
  check(audit_stream(copies(4, 0), copies(8, 0), 4, popcs), Verdict::proven, "");
  check(audit_stream(copies(4, 0x1), copies(8, 0x1), 4, popcs), Verdict::proven, "");
  check(audit_stream(copies(4, 0), copies(8, 0x1), 4, popcs), Verdict::contaminated, "the end of one of the streams");
}

TEST_CASE("a stream may share what all of its copies need, but not the work") {
  const auto stores = [](int count, const std::string& last) {
    std::vector<Line> lines = {{"SHF.R.U32.HI R20, RZ, 0x2, R2", 4}};
    for (int i = 0; i < count; ++i) lines.push_back({last + " [R20], R4", 2});
    return window(lines);
  };
  const std::vector<std::string> alone = {"SHF.R.U32.HI", "STS.128"};
  check(audit_stream(stores(4, "STS.128"), stores(8, "STS.128"), 4, alone), Verdict::proven, "");
  INFO("two stores of half the width each are not the store");
  check(audit_stream(stores(4, "STS.64"), stores(8, "STS.64"), 4, alone), Verdict::fused, "alone is 2");
  INFO("what unpacks the result may come later, what makes it may not");
  check(audit_stream(stores(4, "ATOMG"), stores(8, "ATOMG"), 4, {"ATOMG", "PRMT"}), Verdict::proven, "");
  check(audit_stream(stores(4, "PRMT"), stores(8, "PRMT"), 4, {"HSET2", "PRMT"}), Verdict::fused, "alone is 2");
  INFO("addresses made in two ways, a register more or less to move");
  const auto addressed = [](int count, const std::string& extra) {
    std::vector<Line> lines = {{extra + " R3, R2", 2}};
    for (int i = 0; i < count; ++i) {
      lines.push_back({i % 2 == 0 ? "IMAD.U32 R20, R3, 0x8, R4" : "LEA R20, R3, R4, 0x3", 2});
      lines.push_back({"STS.128 [R20], R4", 2});
    }
    if (count == 8) lines.push_back({extra + " R3, R2", 2});
    return window(lines);
  };
  const std::vector<std::string> with_address = {"SHF.R.U32.HI", "IMAD", "IMAD.U32", "STS.128"};
  check(audit_stream(addressed(4, "MOV"), addressed(8, "MOV"), 4, with_address), Verdict::proven, "");
  check(audit_stream(addressed(4, "FMUL"), addressed(8, "FMUL"), 4, with_address), Verdict::fused,
        "9 more instructions");
  INFO("nothing waits for it, so that the instruction alone is not known");
  check(audit_stream(addressed(4, "MOV"), addressed(8, "MOV"), 4, {}), Verdict::proven, "");
  check(audit_stream(addressed(4, "MOV"), addressed(8, "FMUL"), 4, {}), Verdict::fused, "more instructions");
  check(audit_stream(stores(4, "STS.128"), stores(7, "STS.128"), 4, {}), Verdict::fused, "3 more instructions");
  INFO("every second copy was left out");
  check(audit_stream(stores(4, "STS.128"), stores(6, "STS.128"), 4, alone), Verdict::fused, "2 more instructions");
}

namespace {

// What the epilogue stores of a 64-bit result is made by two instructions of each step, and the last instruction of the
// window makes one half of it.
Window selections(int steps) {
  std::vector<Line> lines;
  for (int i = 0; i < steps; ++i) {
    lines.push_back({"SEL R10, R10, R2, P0", 2});
    lines.push_back({"SEL R11, R11, R3, P0", 2});
  }
  auto prologue = usual_prologue();
  prologue.push_back({"LDG.E.64.STRONG.SYS R10, desc[UR4][R6.64+0x18]", 2, 3});
  prologue.push_back({"NOP", 2, ControlWord::no_scoreboard, 0x8});
  return with_epilogue(window(lines, prologue), {{"STG.E.64.STRONG.SYS desc[UR4][R6.64+0x10], R10"}, {"EXIT"}});
}

}  // namespace

TEST_CASE("a chain whose results are two halves is proven: both are stored") {
  const std::vector<std::string> sass{"SEL", "SEL"};
  const auto audit = audit_chain(selections(4), selections(8), 4, sass);
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == sass);
  auto lost = selections(4);
  lost.epilogue.front().text = "STG.E.STRONG.SYS desc[UR4][R6.64+0x10], R11";
  check(audit_chain(lost, selections(8), 4, sass), Verdict::contaminated, "feeds nothing");
}

TEST_CASE("code that keeps a second result is not part of the instruction, although it is stored") {
  const Line op{"ISETP.LT.AND P1, P2, R2, R3, PT", 4}, keep{"SEL R14, RZ, 0x1, P2", 2},
      consumer{"SEL R1, R5, 0x15, P1", 5}, plain_consumer{"SEL R1, R5, 0x15, P0", 5};
  const std::vector<Line> stores{{"STG.E.STRONG.SYS desc[UR4][R6.64+0x10], R1"},
                                 {"STG.E.STRONG.SYS desc[UR4][R6.64+0x20], R14"}};
  const auto base = with_epilogue(window({plain_consumer}), stores);
  CHECK(audit_differential(with_epilogue(window({op, consumer}), stores), base).is_proven());
  check(audit_differential(with_epilogue(window({op, keep, consumer}), stores), base), Verdict::contaminated,
        "SEL R14");
}

TEST_CASE("a consumer of two instructions, each of which needs a half, is there with both") {
  const Line lower{"LOP3.LUT R20, R10, R2, RZ, 0x3c, !PT", 2}, upper{"LOP3.LUT R21, R11, R3, RZ, 0x3c, !PT", 5};
  const std::vector<Line> store{{"STG.E.64.STRONG.SYS desc[UR4][R6.64+0x10], R20"}};
  const auto made = with_epilogue(
      window({{"IADD3 R10, P0, R2, R5, RZ", 2}, {"IADD3.X R11, R3, R5, RZ, P0, !PT", 2}, lower, upper}), store);
  const auto audit = audit_differential(
      made,
      with_epilogue(window({{"LOP3.LUT R20, R2, R3, RZ, 0x3c, !PT", 2}, {"LOP3.LUT R21, R3, R5, RZ, 0x3c, !PT", 5}}),
                    store));
  check(audit, Verdict::proven, "");
  CHECK(audit.sass == std::vector<std::string>{"IADD3", "IADD3.X"});
}

TEST_CASE("a load that is narrower than the instruction is not the instruction") {
  const Expectation expected{false, 0, {}, 16};
  const Line half{"LDS.64 R0, [R3]", 2, 0}, whole{"LDS.128 R0, [R3]", 2, 0};
  const auto differential = [&](const std::vector<Line>& loads) {
    auto lines = loads;
    lines.push_back(waiting_xor);
    return audit_differential(window(lines), xor_base, expected);
  };
  check(differential({half}), Verdict::elided, "it moves 8 bytes where the instruction moves 16");
  check(differential({whole}), Verdict::proven, "");
  INFO("two halves are the whole");
  check(differential({half, half}), Verdict::proven, "");
  const auto copies = [](int count, const Line& line) {
    return window(std::vector<Line>(static_cast<std::size_t>(count), line));
  };
  check(audit_stream(copies(4, half), copies(8, half), 4, {}, expected), Verdict::elided, "it moves 32 bytes");
  check(audit_stream(copies(4, whole), copies(8, whole), 4, {}, expected), Verdict::proven, "");
  check(audit_chain(copies(4, half), copies(8, half), 4, {}, expected), Verdict::elided, "it moves 8 bytes");
  check(audit_chain(copies(4, whole), copies(8, whole), 4, {}, expected), Verdict::proven, "");
  const Line store{"STS.64 [R3], R4", 2};
  check(audit_waiting(window({store, whole}), window({whole}), expected), Verdict::elided, "it moves 8 bytes");
}
