// SPDX-License-Identifier: Apache-2.0

// Which instructions of a window are between an operand and the consumer.
#include "sass/path.h"

#include "catch.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

using Opcodes = std::vector<std::string>;

// The consumer of all windows.
const Line consumer{"LOP3.LUT R20, R10, R21, RZ, 0x3c, !PT"};
const std::vector<Line> stores_it{{"STG.E.STRONG.SYS desc[UR4][R22.64+0x10], R20"}};

Window with(std::vector<Line> op) {
  op.push_back(consumer);
  return with_epilogue(window(op), stores_it);
}
const Window base = with_epilogue(window({consumer}), stores_it);

}  // namespace

TEST_CASE("the path from an operand is what depends on it and is needed") {
  const auto code = with({{"IMAD.HI.U32 R11, R2, R3, RZ"}, {"IADD3 R10, R11, R5, RZ"}});
  CHECK(path_opcodes(code, base, 3, {0}) == Opcodes{"IMAD.HI.U32", "IADD3"});
  CHECK(path_opcodes(code, base, 3, {1}) == Opcodes{"IMAD.HI.U32", "IADD3"});
  CHECK(path_opcodes(code, base, 3, {2}) == Opcodes{"IADD3"});
}

TEST_CASE("instructions for a different result are not on it") {
  const auto code = with({{"POPC R12, R2"}, {"IADD3 R10, R2, R5, RZ"}});
  CHECK(path_opcodes(code, base, 3, {0}) == Opcodes{"IADD3"});
}

TEST_CASE("a register that is written again no longer depends on the operand") {
  const auto code = with({{"IADD3 R11, R2, 0x1, RZ"}, {"POPC R11, R3"}, {"IADD3 R10, R11, R5, RZ"}});
  CHECK(path_opcodes(code, base, 3, {0}) == Opcodes{});
  CHECK(path_opcodes(code, base, 3, {1}) == Opcodes{"POPC", "IADD3"});
}

TEST_CASE("the neighbour of a factor is not an operand of the product, those of an addend and of a double are") {
  const auto product = with({{"IMAD.HI.U32 R11, R2, R4, RZ"}, {"LOP3.LUT R10, R11, R3, RZ, 0x3c, !PT"}});
  CHECK(path_opcodes(product, base, 3, {1}) == Opcodes{"LOP3.LUT"});
  const auto sum = with({{"IMAD.MOV.U32 R7, RZ, RZ, R3"}, {"IMAD.HI.U32 R10, R2, R4, R6"}});
  CHECK(path_opcodes(sum, base, 3, {1}) == Opcodes{"IMAD.HI.U32"});
  CHECK(operand_path(sum, base, 3, {1})->opcodes == Opcodes{"IMAD.MOV.U32", "IMAD.HI.U32"});
  CHECK(path_opcodes(with({{"DADD R10, R2, R6"}}), base, 3, {1}) == Opcodes{"DADD"});
}

TEST_CASE("a predicate carries the dependence, and moves do not count as work") {
  const auto code = with({{"ISETP.GE.AND P1, PT, R2, R3, PT"}, {"MOV R11, R5"}, {"SEL R10, R11, R5, P1"}});
  CHECK(path_opcodes(code, base, 3, {0}) == Opcodes{"ISETP.GE.AND", "SEL"});
  CHECK(path_opcodes(code, base, 3, {2}) == Opcodes{"SEL"});
}

TEST_CASE("what is beside an operand's path is before its first instruction or among its instructions") {
  // Of three operands: a sum of the first two, a constant, and the third joins at the end.
  const auto code = with({{"IADD3 R11, R2, R3, RZ", 4}, {"MOV R12, 0x7", 5}, {"IMAD R10, R5, R12, R11", 4}});
  const auto of_first = operand_path(code, base, 3, {0});
  REQUIRE(of_first);
  CHECK(of_first->before.empty());
  CHECK(of_first->cycles_beside == 0);
  CHECK(of_first->among == Opcodes{"MOV"});
  CHECK_FALSE(of_first->is_separable);
  const auto of_third = operand_path(code, base, 3, {2});
  REQUIRE(of_third);
  CHECK(of_third->before == Opcodes{"IADD3", "MOV"});
  CHECK(of_third->cycles_beside == 9);
  CHECK(of_third->among.empty());
  CHECK_FALSE(operand_path(with({{"MOV R10, 0x7"}}), base, 3, {0}));
  CHECK_FALSE(operand_path(with({{"@P1 BRA 0x200"}, {"IADD3 R10, R2, R5, RZ"}}), base, 3, {0}));
}

TEST_CASE("a matrix instruction reads the registers behind those that it names") {
  const auto code = with({{"MOV R25, R3"}, {"HMMA.16816.F16 R10, R24, R2, RZ"}});
  CHECK(path_opcodes(code, base, 3, {1}) == Opcodes{"HMMA.16816.F16"});
}

TEST_CASE("code for a different result is beside the path; what may wait for more than registers is not said to be") {
  const auto code = with({{"POPC R12, R2"}, {"IADD3 R10, R2, R5, RZ"}, {"IADD3 RZ, P0, R2, R3, RZ"}});
  const auto path = operand_path(code, base, 3, {0});
  REQUIRE(path);
  CHECK(path->opcodes == Opcodes{"IADD3"});
  CHECK(path->before == Opcodes{"POPC"});
  CHECK(path->among == Opcodes{"IADD3"});
  INFO("it is done before the operand arrives, if that is last");
  CHECK(operand_path(with({{"POPC R12, R3", 4}, {"IADD3 R10, R2, R5, RZ", 4}}), base, 3, {0})->cycles_beside == 4);
  const auto ordered =
      operand_path(with({{"MEMBAR.SC.CTA"}, {"LDS R12, [R2]"}, {"IADD3 R10, R2, R5, RZ"}}), base, 3, {0});
  REQUIRE(ordered);
  CHECK(ordered->is_alone());
}

TEST_CASE("what is among a path is told from it where the window shows the latency of the pair") {
  // Both factors are prepared alike: the second shows that PRMT to IMAD takes 5 cycles.
  const auto code = with({{"PRMT R11, R2, 0x10, RZ", 2}, {"PRMT R12, R3, 0x10, RZ", 5}, {"IMAD R10, R11, R12, RZ", 4}});
  const auto of_first = operand_path(code, base, 3, {0});
  REQUIRE(of_first);
  CHECK(of_first->among == Opcodes{"PRMT"});
  CHECK(of_first->is_separable);
  CHECK(of_first->cycles_beside == 2);
  const auto of_second = operand_path(code, base, 3, {1});
  REQUIRE(of_second);
  CHECK(of_second->cycles_beside == 2);
  CHECK(of_second->among.empty());
}

TEST_CASE("the operands' loads are those in a row from the thread's slot, not those of what is prepared once") {
  const auto code = with({{"IADD3 R10, R2, R5, RZ"}, {"POPC R10, R10"}});
  auto before = code, behind = code;
  before.prologue.insert(before.prologue.begin(),
                         instructions({{"LDG.E.64.STRONG.SYS R6, desc[UR4][R6.64+0x10]"}}, 0).front());
  behind.prologue.insert(behind.prologue.begin() + 3, instructions({{"LD.E.U8.STRONG.SYS R12, [R6]"}}, 0).front());
  for (const auto& window : {before, behind}) {
    CHECK(path_opcodes(window, base, 3, {0}) == Opcodes{"IADD3", "POPC"});
    CHECK(path_opcodes(window, base, 3, {1}) == Opcodes{});
    CHECK_FALSE(path_opcodes(window, base, 5, {0}));
  }
}

TEST_CASE("if the code branches, or a load is missing, the path is unknown") {
  const auto code = with({{"IADD3 R10, R2, R5, RZ"}});
  CHECK_FALSE(path_opcodes(code, base, 4, {0}));
  CHECK_FALSE(path_opcodes(with({{"@P1 BRA 0x200"}, {"IADD3 R10, R2, R5, RZ"}}), base, 3, {0}));
}

TEST_CASE("operations are the same on whichever pipe, opcodes are not") {
  CHECK(same_operations({"IADD3", "MOV"}, {"IMAD.IADD"}));
  CHECK_FALSE(same_opcodes({"IADD3", "MOV"}, {"IMAD.IADD"}));
  CHECK(same_opcodes({"SEL", "IADD3", "MOV"}, {"IADD3", "SEL"}));
  CHECK(has_operations({"IADD3", "SEL", "SEL"}, {"SEL", "IMAD.IADD"}));
  CHECK_FALSE(has_operations({"IADD3", "SEL"}, {"SEL", "SEL"}));
}

TEST_CASE("the longest dependence counts instructions that need each other's results") {
  CHECK(longest_dependence(window({})) == 0);
  const auto in_a_row = window({{"IADD3 R10, R2, R3, RZ"}, {"IADD3 R11, R10, R2, RZ"}, {"IADD3 R10, R11, R10, RZ"}});
  CHECK(longest_dependence(in_a_row) == 3);
  const auto side_by_side = window({{"IADD3 R10, R2, R3, RZ"}, {"IADD3 R11, R3, R5, RZ"}, {"IADD3 R12, R10, R11, RZ"}});
  CHECK(longest_dependence(side_by_side) == 2);
}
