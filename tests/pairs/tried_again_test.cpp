// SPDX-License-Identifier: Apache-2.0

// What the methods say of cells at whose kernels the assembler fails: the next run tries them again. It does not if the
// assembler rejects them, in whatever words.
#include <algorithm>

#include "../line/no_tools.h"
#include "../ptx/shipped_catalogue.h"
#include "catch.h"
#include "opcodes/contention.h"
#include "opcodes/in_flight.h"
#include "opcodes/operand_cost.h"
#include "opcodes/throughput.h"
#include "pairs/hazards.h"
#include "pairs/register_cases.h"

using namespace ptxlat;
using namespace ptxlat::opcodes;
using namespace ptxlat::pairs;

namespace {

constexpr int level = 3;

void check_records(const line::Method& method, std::size_t cells) {
  REQUIRE(cells > 0);
  std::vector<line::Cell> chunk;
  for (std::size_t i = 0; i < cells; ++i) chunk.push_back({i, level, 1});
  const assemble::Toolchain toolchain{assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0};
  NoDisassembler disassembler;
  const line::Line line{.toolchain = toolchain, .target = {90, "a"}, .disassembler = disassembler};
  line::Gpus gpus({});
  line::Interruption interruption(line.interrupted);
  NoCubins assembler;
  for (const bool fails : {false, true}) {
    assembler.fails = fails;
    line::Bench bench(line, assembler, gpus, interruption, level);
    for (const auto& record : method.make(bench, chunk)) {
      INFO(record.ptx << " " << record.operand << ": " << to_string(record.verdict) << ", " << record.note);
      CHECK(record.note.find("no instruction") != std::string::npos);
      CHECK(record.has_flag(results::flag::retry) == fails);
      CHECK(is_final(record) != fails);
    }
  }
}

Opcode opcode_of(const std::string& name, const std::string& ptx) {
  return {name, isa::variants_of(shipped_form(ptx)).front(), 2, true, true};
}

}  // namespace

TEST_CASE("throughputs at which the assembler fails are tried again") {
  const auto& form = shipped_form("add.u32");
  const auto plan = plan_throughput(shipped(), {&form, &shipped_form("div.rn.f32")}, level);
  check_records(ThroughputMethod(shipped(), plan), plan.size());
}

TEST_CASE("throughputs of warpgroups at which the assembler fails are tried again") {
  const auto& forms = shipped().catalogue.forms;
  const auto form = std::find_if(forms.begin(), forms.end(),
                                 [](const isa::Form& one) { return one.ptx.starts_with("wgmma.mma_async"); });
  REQUIRE(form != forms.end());
  const auto plan = plan_throughput(shipped(), {&*form}, level);
  check_records(ThroughputMethod(shipped(), plan), plan.size());
}

TEST_CASE("hazards at which the assembler fails are tried again") {
  const auto plan = plan_hazards(shipped(), {&shipped_form("add.u32")}, level);
  check_records(HazardMethod(shipped(), plan), plan.size());
}

TEST_CASE("register banks at which the assembler fails are tried again") {
  const auto plan = plan_registers(shipped(), level);
  check_records(RegisterMethod(shipped(), plan), 1);
}

TEST_CASE("the experiments about opcodes at which the assembler fails are tried again") {
  const std::vector<Opcode> opcodes{opcode_of("IADD3", "add.u32"), opcode_of("POPC", "popc.b32")};
  const auto pairs = plan_contention(shipped(), opcodes, level);
  check_records(ContentionMethod(shipped(), pairs), pairs.size());
  const auto operands = plan_operands(shipped(), opcodes, level);
  check_records(OperandCostMethod(shipped(), operands), operands.size());
  results::Record throughput;
  throughput.kind = results::RecordKind::throughput;
  throughput.ptx = "add.u32";
  throughput.sass = {"IADD3"};
  throughput.set(results::metric::interval, 2);
  const auto in_flight = plan_in_flight(shipped(), opcodes, {throughput}, level);
  check_records(InFlightMethod(shipped(), in_flight), in_flight.size());
}
