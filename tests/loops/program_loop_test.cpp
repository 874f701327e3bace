// SPDX-License-Identifier: Apache-2.0

// Loops of a form as a program has them: what their steps are, and when that is not the instruction.
#include "loops/program_loop.h"

#include <algorithm>

#include "../ptx/shipped_catalogue.h"
#include "../sass/real_code.h"
#include "catch.h"
#include "line/kernel_assembler.h"
#include "sass/disassembler.h"

using namespace ptxlat;
using namespace ptxlat::loops;

namespace {

sass::Window window_with(const std::vector<std::pair<std::string, int>>& counts) {
  sass::Window window;
  const auto add = [&](const std::string& text) { window.instructions.push_back({0, {}, {}, text}); };
  add("CS2R.32 R2, SR_CLOCKLO");
  for (const auto& [text, count] : counts) {
    for (int i = 0; i < count; ++i) add(text);
  }
  add("CS2R.32 R3, SR_CLOCKLO");
  return window;
}

std::optional<ProgramCode> code_of(const std::vector<std::pair<std::string, int>>& shorter,
                                   const std::vector<std::pair<std::string, int>>& longer,
                                   const std::vector<std::string>& alone) {
  return code_of_program(window_with(shorter), window_with(longer), 4, alone);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("opcodes of one operation that steps become in turn are all named") {
  const auto code = code_of({{"IADD3 R4, R4, R5, RZ", 2}, {"IMAD.IADD R4, R4, 0x1, R5", 2}},
                            {{"IADD3 R4, R4, R5, RZ", 3}, {"IMAD.IADD R4, R4, 0x1, R5", 5}}, {"IADD3"});
  REQUIRE(code);
  CHECK(code->in_turn == Names{"IADD3", "IMAD.IADD"});
  CHECK_FALSE(code->is_even);
  CHECK(code->opcodes == Names{"IMAD.IADD"});
}

TEST_CASE("further steps may have other shares of the opcodes in turn than the rest of the loop") {
  const std::pair<std::string, int> add{"IADD3 R4, R4, R5, RZ", 2}, multiply{"IMAD.IADD R4, R4, 0x1, R5", 2};
  const auto code = code_of({add, multiply}, {{add.first, 4}, {multiply.first, 4}}, {"IADD3"});
  REQUIRE(code);
  CHECK(code->is_even);
}

TEST_CASE("a step has the moves that a program makes, and the work of the instruction") {
  const auto code = code_of({{"DSETP.MIN.AND P0, PT, R4, R6, PT", 4}, {"SEL R4, R5, R6, P0", 4}, {"MOV R8, R4", 9}},
                            {{"DSETP.MIN.AND P0, PT, R4, R6, PT", 8}, {"SEL R4, R5, R6, P0", 8}, {"MOV R8, R4", 17}},
                            {"IMAD.MOV.U32", "IMAD.MOV.U32", "IMAD.MOV.U32", "DSETP.MIN.AND", "SEL"});
  REQUIRE(code);
  CHECK(code->in_turn.empty());
  CHECK(code->opcodes == Names{"DSETP.MIN.AND", "SEL", "MOV", "MOV"});
}

TEST_CASE("the work of a copy is counted over the whole stream, whose instructions are in any order") {
  const std::pair<std::string, int> setp{"ISETP.GT.AND P0, PT, R4, R6, PT", 2}, sel{"SEL R4, R5, R6, P0", 2};
  const auto twice = [](auto entry) { return std::pair{entry.first, 2 * entry.second}; };
  CHECK(work_of_copy(window_with({setp, sel}), window_with({twice(setp), {"MOV R8, R4", 1}, twice(sel)}), 2) ==
        Names{"ISETP.GT.AND", "SEL"});
  CHECK(work_of_copy(window_with({setp, sel}), window_with({{setp.first, 3}, twice(sel)}), 4).empty());
}

TEST_CASE("steps that were joined, left the loop, branch or use the stack are not the instruction") {
  const std::pair<std::string, int> four{"IADD3 R4, R4, R5, RZ", 4};
  CHECK_FALSE(code_of({four}, {{"IADD3 R4, R4, R5, R5", 6}}, {"IADD3"}));
  CHECK_FALSE(code_of({four, {"IMAD.WIDE.U32 R4, R6, R7, R4", 1}},
                      {{four.first, 8}, {"IMAD.WIDE.U32 R4, R6, R7, R4", 1}}, {"IMAD.WIDE.U32", "IADD3"}));
  CHECK_FALSE(code_of({four}, {{four.first, 8}, {"BRA 0x100", 4}}, {"IADD3"}));
  CHECK_FALSE(code_of({four}, {{four.first, 8}, {"LDL R4, [R1]", 4}}, {"IADD3"}));
  CHECK_FALSE(code_of({four}, {{four.first, 8}}, {"MOV"}));
}

TEST_CASE("ptxas makes of a program's loop what it makes of many copies") {
  const auto toolchain = ptxas_or_skip().front();
  sass::Nvdisasm nvdisasm(nvdisasm_or_skip());
  struct Case {
    const char* ptx;
    Names alone;
    std::size_t in_turn;
  };
  const auto example = GENERATE(values<Case>({{"add.u32", {"IADD3"}, 2},
                                              {"sub.s32", {"IADD3"}, 2},
                                              {"add.s64", {"IADD3", "IADD3.X"}, 0},
                                              {"mul.lo.u64", {"IMAD", "IMAD.WIDE.U32", "IMAD", "IADD3"}, 0},
                                              {"min.f64", {"DSETP.MIN.AND", "FSEL", "SEL", "LOP3.LUT"}, 0}}));
  INFO(example.ptx);
  const isa::Target target{90, "a"};
  const auto trials = program_loop_trials(shipped(), shipped_form(example.ptx), static_cast<int>(example.alone.size()));
  REQUIRE(trials.size() == 2);
  const auto window_of = [&](const ptx::Trial& trial) {
    const auto outcome = line::make_kernel_assembler(assemble::make_ptxas(toolchain), toolchain, target)
                             ->assemble({{"k", &trial.kernel}}, 3);
    INFO(outcome.kernels.front().log);
    REQUIRE(outcome.cubins.size() == 1);
    return disassembled(nvdisasm, outcome.cubins.front(), 90);
  };
  const auto shorter = window_of(trials[0]), longer = window_of(trials[1]);
  const int copies = 224 / static_cast<int>(example.alone.size());
  const int more = 8 * (copies / 8 / 2);
  const auto code = code_of_program(shorter, longer, more, example.alone);
  REQUIRE(code);
  CHECK(code->in_turn.size() == example.in_turn);
}
