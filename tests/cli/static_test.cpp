// SPDX-License-Identifier: Apache-2.0

// What the static table says, from assembler to csv, on architectures for which no card is available.
#include "../sass/real_code.h"
#include "assemble/toolchain.h"
#include "base/error.h"
#include "ptxlat_program.h"
#include "tables/table.h"

using namespace ptxlat;

namespace {

// The newest ptxas here that supports a target; empty if there is none, or no disassembler to read its code.
std::string newest_ptxas_for(const isa::Target& target) {
  try {
    assemble::nvdisasm_for(target, all_toolkits());
  } catch (const Error&) {
    return {};
  }
  for (const auto& toolchain : assemble::find_toolchains(all_toolkits())) {
    if (toolchain.kind != assemble::ToolchainKind::ptxas) continue;
    const auto targets = assemble::targets_of(toolchain.path);
    if (std::find(targets.begin(), targets.end(), target.name()) != targets.end()) return toolchain.name;
  }
  return {};
}

// Each of the forms depends on itself after this many cycles on these targets: what Jia et al. measured on Maxwell,
// Pascal and Volta, and we on Hopper.
void check_dependent_latency(const std::vector<int>& architectures, const std::vector<std::string>& forms,
                             double cycles) {
  std::vector<std::string> arguments = {"static", "-O", "3", "--format", "none"};
  for (const auto& form : forms) arguments.insert(arguments.end(), {"--filter", form});
  int checked = 0;
  for (const int sm : architectures) {
    const isa::Target target{sm, ""};
    const auto ptxas = newest_ptxas_for(target);
    if (ptxas.empty()) continue;
    PtxlatProgram program;
    INFO(target.name() << ", " << ptxas);
    auto command = arguments;
    command.insert(command.end(), {"--target", target.name(), "--toolchain", ptxas});
    REQUIRE(program.run(command).status == 0);
    const auto cells = records_in(program.folder() / "ptxlat-tables" / target.name() / "static" / ptxas);
    CHECK(cells.size() >= forms.size());
    for (const auto& cell : cells) {
      INFO(cell.ptx << " " << cell.operand << ": " << cell.note);
      CHECK(cell.verdict == sass::Verdict::proven);
      CHECK(cell.number(results::metric::static_cycles) == cycles);
      CHECK(cell.number(results::metric::issue));
      ++checked;
    }
  }
  if (checked == 0) skip("no ptxas and nvdisasm for these targets (tools/toolkits.sh 12.3 brings both)");
}

}  // namespace

TEST_CASE("dependent FADD, FFMA and IADD are 6 cycles apart on Maxwell and Pascal") {
  check_dependent_latency({50, 52, 53, 60, 61, 62}, {"add.f32", "fma.rn.f32", "add.u32"}, 6);
}

TEST_CASE("dependent FADD and FFMA are 4 cycles apart from Volta to Hopper") {
  // Additions of integers change between two pipes, which costs a cycle.
  check_dependent_latency({70, 72, 75, 80, 86, 87, 89, 90}, {"add.f32", "fma.rn.f32"}, 4);
}

TEST_CASE("on Maxwell a 32-bit product is three XMAD, and instructions of newer GPUs are unsupported") {
  const auto ptxas = newest_ptxas_for({52, ""});
  if (ptxas.empty()) skip("no ptxas and nvdisasm for sm_52 (tools/toolkits.sh 12.3 brings both)");
  PtxlatProgram program;
  REQUIRE(program
              .run({"static", "--target", "sm_52", "--toolchain", ptxas, "--filter", "mul.lo.u32", "--filter",
                    "redux.sync.add.u32", "-O", "3", "--format", "none"})
              .status == 0);
  const auto cells = records_in(program.folder() / "ptxlat-tables/sm_52/static" / ptxas);
  REQUIRE(cells.size() == 3);
  for (const auto& cell : cells) {
    INFO(cell.ptx << ": " << cell.note);
    if (cell.ptx == "mul.lo.u32") {
      CHECK(cell.verdict == sass::Verdict::proven);
      CHECK(cell.sass == std::vector<std::string>{"XMAD", "XMAD.MRG", "XMAD.PSL.CBCC"});
    } else {
      CHECK(cell.verdict == sass::Verdict::unsupported);
      CHECK(cell.note.find("sm_80") != std::string::npos);
    }
  }
}
