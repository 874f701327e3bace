// SPDX-License-Identifier: Apache-2.0
#include "opcodes/operand_cost.h"

#include <algorithm>
#include <filesystem>

#include "../ptx/shipped_catalogue.h"
#include "catch.h"
#include "isa/catalogue.h"

using namespace ptxlat;
using opcodes::OperandKind;

TEST_CASE("an instruction's text shows where its last operand comes from") {
  const auto kinds_of = [](const std::string& text) {
    std::string found;
    for (const auto kind :
         {OperandKind::constant, OperandKind::immediate, OperandKind::uniform, OperandKind::predicate}) {
      if (opcodes::has_operand(text, kind)) found += std::string(to_string(kind)) + " ";
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

TEST_CASE("memory instructions are not measured with a constant: as a parameter it once made their address wrong") {
  const auto kinds_of = [&](const char* ptx) {
    std::string found;
    for (const auto& plan :
         opcodes::plan_operands(shipped(), {{"X", isa::variants_of(shipped_form(ptx)).front(), 1}}, 3))
      found += std::string(to_string(plan.kind)) + " ";
    return found;
  };
  CHECK(kinds_of("fma.rn.f32") == "constant immediate uniform predicate ");
  CHECK(kinds_of("red.global.add.u32") == "immediate uniform predicate ");
}

TEST_CASE("an operand with which an instruction takes less time has no cost: it makes a different access of it") {
  const auto cost_of = [](double interval, double cost) {
    results::Record record;
    record.verdict = sass::Verdict::proven;
    record.set(results::metric::interval, interval);
    record.set(results::metric::operand_cost, cost);
    opcodes::read_cost_again(record);
    CHECK(record.number(results::metric::interval) == interval);
    return record.number(results::metric::operand_cost);
  };
  CHECK(cost_of(36, -92) == std::nullopt);  // SUST.D.BA.1D.128 with an immediate coordinate, on an H200
  CHECK(cost_of(2.5, 0.5) == 0.5);
  INFO("a cost of nothing is measured as slightly less or more");
  CHECK(cost_of(186.8, -0.5) == -0.5);
}
