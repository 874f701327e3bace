// SPDX-License-Identifier: Apache-2.0

// Functions of CUDA C through the whole program: NVRTC, ptxas, audit, table.
#include <algorithm>

#include "../sass/real_code.h"
#include "assemble/nvrtc.h"
#include "ptxlat_program.h"
#include "tables/folder.h"

using namespace ptxlat;

namespace {

// A ptxas that knows sm_90 and has an NVRTC of the same release. Skips the case without one.
assemble::Toolchain ptxas_with_nvrtc() {
  const auto available = assemble::find_toolchains(all_toolkits());
  for (const auto& toolchain : available) {
    const assemble::Toolchain* nvrtc = assemble::nvrtc_for(toolchain, available);
    if (toolchain.kind == assemble::ToolchainKind::ptxas && nvrtc != nullptr && !assemble::headers_of(*nvrtc).empty())
      return toolchain;
  }
  skip("no ptxas with an NVRTC and headers of its release (tools/toolkits.sh brings them)");
}

struct Compiled {
  PtxlatProgram program;
  std::string toolchain;

  explicit Compiled(const assemble::Toolchain& ptxas) : toolchain(ptxas.name) {
    if (const char* toolkits = std::getenv("PTXLAT_TOOLKITS")) program.set("PTXLAT_TOOLKITS", toolkits);
  }

  tables::Table made(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "static");
    for (const char* option : {"--toolchain", toolchain.c_str(), "--target", "sm_90", "-O", "3", "--format", "none"})
      arguments.emplace_back(option);
    const auto ended = program.run(arguments);
    REQUIRE(ended.status == 0);
    return tables::read_table(program.folder() / "ptxlat-tables/sm_90/static" / toolchain);
  }
};

// Whether the code between the clocks is the function's, whole and alone; some compilers put operands of long code in
// one register bank, which the audit notices and rejects.
bool is_whole(const results::Record& record) {
  return record.verdict == sass::Verdict::proven ||
         (record.verdict == sass::Verdict::contaminated && record.has_flag("bank_conflict"));
}

const results::Record& cell_of(const tables::Table& table, const std::string& function, const std::string& input = {}) {
  const auto found = std::find_if(table.cells.begin(), table.cells.end(), [&](const tables::Cell& cell) {
    return cell.record.ptx == function && cell.record.input == input;
  });
  if (found == table.cells.end()) throw std::runtime_error("no row " + function + " " + input);
  return found->record;
}

}  // namespace

TEST_CASE("functions of CUDA C are rows of a table, and NVRTC is in its provenance") {
  const auto ptxas = ptxas_with_nvrtc();
  const Compiled compiled(ptxas);
  const auto table = compiled.made({"--filter", "__fadd_rn", "--filter", "sinf", "--filter", "__hfma2", "--filter",
                                    "sincosf", "--filter", "pow", "--filter", "add.rn.f32"});
  CHECK(table.run.nvrtc.starts_with("nvrtc-"));
  // The same machine code as the instruction that it is.
  CHECK(cell_of(table, "__fadd_rn").sass == cell_of(table, "add.rn.f32").sass);
  CHECK(cell_of(table, "__fadd_rn").number(results::metric::static_cycles) ==
        cell_of(table, "add.rn.f32").number(results::metric::static_cycles));
  CHECK(cell_of(table, "__hfma2").sass.size() == 1);
  // Local memory, tables, loops; calls; two results.
  for (const char* function : {"sinf", "sincosf", "pow"}) {
    INFO(function);
    CHECK(is_whole(cell_of(table, function)));
    CHECK(cell_of(table, function).sass.size() > 20);
  }
  CHECK(is_whole(cell_of(table, "sinf", "slow path")));
  CHECK(cell_of(table, "sinf --use_fast_math").sass == std::vector<std::string>{"FMUL.RZ", "MUFU.SIN"});
}

TEST_CASE("a function that NVRTC does not know is unsupported, with NVRTC's message, and does not affect others") {
  const auto ptxas = ptxas_with_nvrtc();
  const Compiled compiled(ptxas);
  const auto mine = compiled.program.write_catalogue(
      "chapter = \"CUDA C: mine\"\n[[op]]\ncall = \"{d:f32} = {function}({a:f32})\"\n"
      "function = [\"__no_such_function\", \"__cosf\"]\nname = \"mine {function}\"\n");
  const auto table = compiled.made({"--catalogue", mine.string(), "--filter", "mine*"});
  const auto& unknown = cell_of(table, "mine __no_such_function");
  CHECK(unknown.verdict == sass::Verdict::unsupported);
  CHECK(unknown.note == "identifier \"__no_such_function\" is undefined");
  CHECK(cell_of(table, "mine __cosf").verdict == sass::Verdict::proven);
}

TEST_CASE("functions of CUDA C are measured from a bundle without NVRTC, as each toolchain's own compiled them") {
  const auto ptxas = ptxas_with_nvrtc();
  const Compiled here(ptxas);
  Compiled there(ptxas);
  const auto available = assemble::find_toolchains(all_toolkits());
  // A second toolchain with a different NVRTC, if there is one.
  auto toolchains = ptxas.name;
  for (const auto& other : available) {
    if (other.kind == assemble::ToolchainKind::ptxas && other.name != ptxas.name &&
        assemble::nvrtc_for(other, available) != nullptr)
      toolchains = other.name + "," + ptxas.name;
  }
  const std::vector<std::string> what{"--filter", "sinf",       "--filter",    "__fadd_rn",
                                      "--filter", "add.rn.f32", "--filter",    "__viaddmax_s32",
                                      "-O",       "0,3",        "--toolchain", toolchains};
  const auto with_what = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), what.begin(), what.end());
    return arguments;
  };
  REQUIRE(here.program.run(with_what({"run", "--format", "none"})).status == 0);
  REQUIRE(here.program.run(with_what({"assemble", "-o", "cuda.bundle"})).status == 0);
  there.program.set("PTXLAT_TOOLKITS", "/nonexistent");
  there.program.set("PTXLAT_TEMPLATES", "/nonexistent");
  const auto bundle = (here.program.folder() / "cuda.bundle").string();
  REQUIRE(there.program.run({"run", "--bundle", bundle, "--format", "none"}).status == 0);
  const auto tables = std::filesystem::path("ptxlat-tables/sm_90/stand-in-h200");
  for (const auto& entry : std::filesystem::directory_iterator(here.program.folder() / tables)) {
    INFO(entry.path().filename().string());
    const auto measured = there.program.folder() / tables / entry.path().filename();
    CHECK((content_of(measured / "latency.csv") == content_of(entry.path() / "latency.csv")));
    const auto table = tables::read_table(measured);
    CHECK(table.run.nvrtc == tables::read_table(entry.path()).run.nvrtc);
    CHECK(cell_of(table, "__fadd_rn").number(results::metric::cycles) ==
          cell_of(table, "add.rn.f32").number(results::metric::cycles));
  }
}
