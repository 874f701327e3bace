// SPDX-License-Identifier: Apache-2.0
#include "machine/operand_cost.h"

#include "catch.h"

using namespace ptxlat;
using machine::OperandKind;

TEST_CASE("an instruction's text shows where its last operand comes from") {
  const auto kinds_of = [](const std::string& text) {
    std::string found;
    for (const auto kind :
         {OperandKind::constant, OperandKind::immediate, OperandKind::uniform, OperandKind::predicate}) {
      if (machine::has_operand(text, kind)) found += std::string(to_string(kind)) + " ";
    }
    return found;
  };
  CHECK(kinds_of("FFMA R11, R7, R6, R7").empty());
  CHECK(kinds_of("FFMA R11, R7, R6, c[0x0][0x210]") == "constant ");
  CHECK(kinds_of("FFMA R11, R7, R6, 1.5") == "immediate ");
  CHECK(kinds_of("FADD R11, R7, -INF ") == "immediate ");
  CHECK(kinds_of("IADD3 R11, R7, -0x3, RZ") == "immediate ");
  CHECK(kinds_of("DMUL R8, R6, UR4") == "uniform ");
  CHECK(kinds_of("@!P1 POPC R6, R7").starts_with("predicate"));
}
