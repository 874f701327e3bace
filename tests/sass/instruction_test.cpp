// SPDX-License-Identifier: Apache-2.0
#include "sass/instruction.h"

#include "catch.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

InstructionWord word(std::uint64_t opcode, std::uint64_t high) { return {opcode, high}; }

constexpr std::uint64_t clock_lo = 0x50ull << 8, clock_hi = 0x51ull << 8, thread_id = 0x21ull << 8;

KernelCode kernel_of(const std::vector<InstructionWord>& words) { return {"kernel", words, CodeLayout::volta}; }

}  // namespace

TEST_CASE("each field of the control word is read from its own bits") {
  const auto control = control_word({0, 0xbull << 41 | 3ull << 46 | 5ull << 49 | 0x2aull << 52 | 0x9ull << 58});
  CHECK(control.stall_count == 11);
  CHECK(control.yields);  // the bit is 0 for yield
  CHECK(control.write_scoreboard == 3);
  CHECK(control.read_scoreboard == 5);
  CHECK(control.wait_mask == 0x2a);
  CHECK(control.reuse == 9);
  CHECK_FALSE(control_word({0, 1ull << 45}).yields);
  // Bits next to the control word do not leak into it.
  const auto surrounded = control_word({~0ull, (1ull << 41) - 1});
  CHECK(surrounded.stall_count == 0);
  CHECK(surrounded.reuse == 0);
}

TEST_CASE("the clock is known in every way that ptxas reads it, and other special registers are not the clock") {
  for (const std::uint64_t opcode : {0x805, 0x919, 0x9c3, 0x8cb}) {
    INFO(std::hex << opcode);
    CHECK(reads_clock(CodeLayout::volta, word(0x7000 | opcode, clock_lo)));
    CHECK(reads_clock(CodeLayout::volta, word(opcode, clock_hi)));
    CHECK_FALSE(reads_clock(CodeLayout::volta, word(opcode, thread_id)));
  }
  CHECK_FALSE(reads_clock(CodeLayout::volta, word(0x210, clock_lo)));
}

TEST_CASE("Maxwell's instructions come in threes after a control word, Volta's one by one") {
  CHECK(offset_of(CodeLayout::maxwell, 0) == 0x08);
  CHECK(offset_of(CodeLayout::maxwell, 2) == 0x18);
  CHECK(offset_of(CodeLayout::maxwell, 3) == 0x28);
  CHECK(size_of_code(CodeLayout::maxwell, 3) == 32);
  CHECK(size_of_code(CodeLayout::maxwell, 4) == 64);
  CHECK(offset_of(CodeLayout::volta, 3) == 0x30);
  CHECK(size_of_code(CodeLayout::volta, 4) == 64);
  CHECK(layout_of(62) == CodeLayout::maxwell);
  CHECK(layout_of(70) == CodeLayout::volta);
}

TEST_CASE("Maxwell's clock reads are found, and those into RZ are thrown away") {
  const auto is_read = [](std::uint64_t bits) { return reads_clock(CodeLayout::maxwell, {bits, 0}); };
  CHECK(is_read(0x50c8000005070008));        // CS2R R8, SR_CLOCKLO
  CHECK(is_read(0x50c8000005170008));        // CS2R R8, SR_CLOCKHI
  CHECK(is_read(0xf0c8000005070008));        // S2R R8, SR_CLOCKLO
  CHECK_FALSE(is_read(0xf0c8000002170000));  // S2R R0, SR_TID.X
  CHECK_FALSE(is_read(0x5c08000000070005));  // POPC R5, R0
  CHECK(discards_clock(CodeLayout::maxwell, {0x50c80000050700ff, 0}));
  CHECK_FALSE(discards_clock(CodeLayout::maxwell, {0x50c8000005070008, 0}));
}

TEST_CASE("a read into RZ before a clock read is a part of it") {
  const InstructionWord discarded{0x50c80000050700ff, 0}, clock{0x50c8000005070008, 0}, popc{0x5c08000000070005, 0};
  std::string why;
  const KernelCode kernel{"kernel", {popc, discarded, clock, popc, discarded, clock, popc}, CodeLayout::maxwell};
  const auto found = find_window(kernel, why);
  REQUIRE(found);
  CHECK(found->prologue.size() == 2);
  REQUIRE(found->instructions.size() == 3);
  CHECK(found->instructions.front().offset == 0x18);
  CHECK(found->instructions.back().word == discarded);
  CHECK(found->epilogue.size() == 2);
}

TEST_CASE("opcodes are found after guards, and control flow is recognised") {
  CHECK(opcode_of("@!P0 IMAD.IADD R7, R6, 0x1, R7") == "IMAD.IADD");
  CHECK(opcode_of("EXIT") == "EXIT");
  CHECK(changes_control_flow("@P0 BRA 0x100"));
  CHECK(changes_control_flow("CALL.REL.NOINC 0x400"));
  CHECK(changes_control_flow("CAL 0x400"));
  CHECK(changes_control_flow("@P0 SYNC"));
  CHECK_FALSE(changes_control_flow("SYNCS.EXCH.64 URZ, [UR4], UR6"));
  CHECK_FALSE(changes_control_flow("BREV R0, R1"));
  CHECK_FALSE(changes_control_flow("BSSY B0, 0x100"));
}

TEST_CASE("a window is what stands between exactly two clock reads of one kind") {
  const auto cs2r = word(0x805, clock_lo), s2r = word(0x919, clock_lo), add = word(0x210, 0);
  std::string why;
  const auto found = find_window(kernel_of({add, cs2r, add, add, cs2r, add}), why);
  REQUIRE(found);
  CHECK(found->prologue.size() == 1);
  CHECK(found->instructions.size() == 4);
  CHECK(found->instructions.front().offset == 16);

  CHECK_FALSE(find_window(kernel_of({add, cs2r, add}), why));
  CHECK(why == "1 clock reads in the kernel instead of 2");
  CHECK_FALSE(find_window(kernel_of({cs2r, add, cs2r}), why, 3));
  CHECK_FALSE(find_window(kernel_of({cs2r, cs2r, cs2r}), why));
  INFO("an instruction under test that reads the clock itself is between the first and the last");
  const auto with_a_third = find_window(kernel_of({add, cs2r, cs2r, add, cs2r}), why, 3);
  REQUIRE(with_a_third);
  CHECK(with_a_third->prologue.size() == 1);
  CHECK(with_a_third->instructions.size() == 4);
  CHECK(why == "3 clock reads in the kernel instead of 2");
  CHECK_FALSE(find_window(kernel_of({}), why));
  CHECK_FALSE(find_window(kernel_of({s2r, add, cs2r}), why));
  CHECK(why.find("different instructions") != std::string::npos);
}

TEST_CASE("the schedule is the sum of the stalls from the first clock up to the second, and knows its edges") {
  const auto schedule = static_schedule(window({{"IADD3 R0, R2, R3, RZ", 4}, {"IADD3 R1, R0, R5, RZ", 5}}));
  CHECK(schedule.cycles == 1 + 4 + 5);
  CHECK(schedule.edge_cycles == 1 + 5);
  CHECK_FALSE(schedule.is_lower_bound);
  CHECK_FALSE(schedule.branches);
}

TEST_CASE("between two clocks with nothing in between there is one stall, all of it edge") {
  const auto schedule = static_schedule(window({}));
  CHECK(schedule.cycles == 1);
  CHECK(schedule.edge_cycles == 1);
}

TEST_CASE("if the second clock waits for the last instruction, the schedule says so: that stall decides nothing") {
  const Line store{"STG.E.STRONG.SYS desc[UR4][R4.64], R7", 1, 7, 0, 0}, fence{"MEMBAR.SC.CTA", 6, 7, 0, 1};
  auto made = window({store, fence});
  CHECK(static_schedule(made).last_edge_cycles == 6);
  CHECK_FALSE(static_schedule(made).waits_for_last);
  made.instructions.back().control.wait_mask = 0b01;
  CHECK_FALSE(static_schedule(made).waits_for_last);
  made.instructions.back().control.wait_mask = 0b10;
  CHECK(static_schedule(made).waits_for_last);
  CHECK_FALSE(static_schedule(window({})).waits_for_last);
}

TEST_CASE("a schedule is a lower bound where something waits for a result made inside") {
  const Line popc{"POPC R0, R2", 2, 0};
  CHECK(static_schedule(window({popc, {"LOP3.LUT R1, R0, R5, RZ, 0x3c, !PT", 5, 7, 1}})).is_lower_bound);
  CHECK_FALSE(static_schedule(window({popc})).is_lower_bound);  // a bracket waits for nothing
  CHECK_FALSE(static_schedule(window({{"NOP", 2, 7, 1}, popc})).is_lower_bound);
  // The second clock itself may wait.
  auto made = window({popc});
  made.instructions.back().control.wait_mask = 1;
  CHECK(static_schedule(made).is_lower_bound);
  // A read scoreboard is waited for too.
  CHECK(static_schedule(window({{"MUFU.EX2 R0, R2", 2, 7, 0, 3}, {"MOV R2, R3", 2, 7, 8}})).is_lower_bound);
}

TEST_CASE("a schedule is a lower bound where an instruction is there to wait, which no scoreboard tells") {
  for (const char* wait : {"DEPBAR.LE SB0, 0x0", "WARPGROUP.ARRIVE", "WARPGROUP.DEPBAR.LE gsb0, 0x0",
                           "BAR.SYNC.DEFER_BLOCKING 0x0", "MEMBAR.SC.GPU", "ERRBAR", "FENCE.VIEW.ASYNC.S",
                           "UCGABAR_WAIT", "NANOSLEEP R2", "WARPSYNC.COLLECTIVE R8, 0x3f0", "BSYNC B1", "ACQBULK"}) {
    INFO(wait);
    CHECK(static_schedule(window({{"LDGSTS.E [R7], [R2.64]", 4}, {wait, 4}})).is_lower_bound);
  }
  // These only begin something that is waited for elsewhere: measured, they take their stall counts.
  for (const char* no_wait : {"LDGDEPBAR", "BAR.ARV 0x0, 0x40", "WARPSYNC.ALL", "SYNCS.ARRIVE.TRANS64 RZ, [R2], R3"}) {
    INFO(no_wait);
    CHECK_FALSE(static_schedule(window({{no_wait, 4}})).is_lower_bound);
  }
}

TEST_CASE("a stall count of 0 leaves the wait to the hardware, but before Volta two instructions issue together") {
  auto made = window({{"HMMA.16816.F32 R4, R8, R10, R4", 0}, {"MOV R2, R4", 15}});
  CHECK(static_schedule(made).is_lower_bound);
  made.layout = CodeLayout::maxwell;
  CHECK_FALSE(static_schedule(made).is_lower_bound);
}

TEST_CASE("results that nothing waits for are counted, up to the second clock") {
  const Line first{"LDS R10, [R2]", 2, 0}, second{"LDS R11, [R2+0x4]", 2, 1};
  const Line consumer{"LOP3.LUT R9, R10, R5, RZ, 0x3c, !PT", 5, 7, 1};
  CHECK(unawaited_results(window({})) == 0);
  CHECK(unawaited_results(window({first, consumer})) == 0);
  CHECK(unawaited_results(window({first, second, consumer})) == 1);
  CHECK(unawaited_results(window({consumer, first})) == 1);  // the wait is before it
  // Two under one scoreboard are waited for together.
  CHECK(unawaited_results(window({first, {"LDS R11, [R2+0x4]", 2, 0}, consumer})) == 0);
  auto clock_waits = window({first, second, consumer});
  clock_waits.instructions.back().control.wait_mask = 2;
  CHECK(unawaited_results(clock_waits) == 0);
}

TEST_CASE("a branch between the clocks is recognised") {
  CHECK(static_schedule(window({{"CALL.REL.NOINC 0x400", 5}})).branches);
}
