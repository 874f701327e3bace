// SPDX-License-Identifier: Apache-2.0

// What the static table says, from assembler to csv, on architectures for which no card is available.
#include <cmath>
#include <set>

#include "../sass/real_code.h"
#include "assemble/toolchain.h"
#include "base/error.h"
#include "line/window_record.h"
#include "ptxlat_program.h"
#include "sass/opcodes.h"
#include "sass/results.h"
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

using Registers = std::set<sass::Register>;

// What `code` reads before it is written there.
Registers inputs_of(const std::vector<sass::Instruction>& code) {
  Registers inputs, written;
  for (const auto& instruction : code) {
    for (const auto& reg : sass::sources_of(instruction.text)) {
      if (!written.contains(reg)) inputs.insert(reg);
    }
    for (const auto& reg : sass::results_of(instruction.text)) written.insert(reg);
  }
  return inputs;
}

// The instructions that an operand which begins in this register does not reach. It may have up to four registers.
std::vector<std::string> not_reached(const std::vector<sass::Instruction>& code, const sass::Register& first) {
  Registers reached;
  for (int i = 0; i < (sass::is_predicate(first.file) ? 1 : 4); ++i) reached.insert({first.file, first.number + i});
  std::vector<std::string> missed;
  for (const auto& instruction : code) {
    const auto sources = sass::sources_of(instruction.text);
    const bool is_reached =
        std::any_of(sources.begin(), sources.end(), [&](const auto& reg) { return reached.contains(reg); });
    for (const auto& reg : sass::results_of(instruction.text)) {
      if (is_reached) {
        reached.insert(reg);
      } else {
        reached.erase(reg);
      }
    }
    if (!is_reached && !sass::has(sass::opcode_of(instruction.text), sass::Trait::bookkeeping))
      missed.push_back(instruction.text);
  }
  return missed;
}

// Whether one operand reaches all of the code. Nothing here knows where the frame has which operand.
bool one_operand_reaches_all(const std::vector<sass::Instruction>& code) {
  const auto inputs = inputs_of(code);
  return std::any_of(inputs.begin(), inputs.end(), [&](const auto& reg) { return not_reached(code, reg).empty(); });
}

// The instructions that a row's number is of: those between the clocks of the first window behind it, of a chain the
// first step.
std::vector<sass::Instruction> code_behind(const results::Record& record) {
  const auto* number = record.find(results::metric::static_cycles);
  for (const auto& window : record.windows) {
    if (number->from.empty() || window.role != number->from.front()) continue;
    auto code = line::window_of(window).instructions;
    code.erase(code.begin());
    code.pop_back();
    if (window.role == "chain") code.resize(std::min(code.size(), record.sass.size()));
    return code;
  }
  return {};
}

}  // namespace

TEST_CASE("each instruction between the clocks is reached from the operand, or the row says that not all of them are") {
  PtxlatProgram program;
  program.require_tools();
  std::vector<std::string> command = {"static", "-O", "1,3", "--format", "none"};
  for (const char* form : {"bfi.b32",
                           "slct.s32.f32",
                           "slct.f64.s32",
                           "mul24.lo.u32",
                           "mad24.hi.s32",
                           "sad.u32",
                           "mad.hi.u32",
                           "mul.hi.u64",
                           "mad.lo.u64",
                           "mad.lo.cc.u64",
                           "madc.hi.cc.u32",
                           "addc.u64",
                           "vadd.u32.u32.u32",
                           "vabsdiff.s32.s32.s32",
                           "vmin2.s32.s32.s32",
                           "dp4a.u32.u32",
                           "shf.l.wrap.b32",
                           "bfe.s64",
                           "min.s64",
                           "and.b64",
                           "setp.eq.and.b64",
                           "set.lt.u32.f32",
                           "selp.f64",
                           "add.rn.f64",
                           "fma.rn.bf16x2",
                           "cvt.rn.f16x2.f32",
                           "cvt.rn.bf16.f32",
                           "prmt.b32",
                           "szext.wrap.u32",
                           "lop3.b32",
                           "copysign.f64",
                           "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16",
                           "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
                           "atom.add.noftz.v8.bf16",
                           "ld.shared::cluster.b128"})
    command.insert(command.end(), {"--filter", form});
  REQUIRE(program.run(command).status == 0);
  const auto folder = program.folder() / "ptxlat-tables/sm_90a/static";
  int checked = 0;
  for (const auto& record : records_in(std::filesystem::directory_iterator(folder)->path())) {
    const auto cycles = record.number(results::metric::static_cycles);
    if (!cycles || record.operand.empty()) continue;
    INFO(record.ptx << " " << record.operand << " O" << record.level << ": " << *cycles << ", " << record.note);
    CHECK((*cycles == std::round(*cycles) || has(record.note, "average over steps")));
    const bool says_so = record.has_flag(results::flag::own_path) || record.has_flag(results::flag::beside_path) ||
                         record.has_flag(results::flag::branches);
    if (says_so) continue;
    ++checked;
    CHECK(one_operand_reaches_all(code_behind(record)));
  }
  CHECK(checked > 60);
}

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
