// SPDX-License-Identifier: Apache-2.0
#include "line/kernel_assembler.h"

#include <algorithm>

#include "catch.h"
#include "sass/cubin.h"
#include "tiny_cubin.h"

using namespace ptxlat;
using namespace ptxlat::line;

namespace {

constexpr unsigned add = 0x210, call_own = 0x944, call_by_address = 0x343;

// Like ptxas: a call by address is preceded by the position of the address in the module's table, which has an entry
// for each kernel before.
struct TableAssembler : assemble::Assembler {
  std::vector<std::size_t>* modules;  // how many kernels each had
  explicit TableAssembler(std::vector<std::size_t>* of) : modules(of) {}

  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& /*target*/, int /*level*/) override {
    constexpr std::string_view entry = ".entry ";
    std::vector<std::pair<std::string, standin::Code>> kernels;
    for (auto at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at + 1)) {
      const auto begin = at + entry.size(), end = ptx.find('(', at);
      const auto body = ptx.substr(end, ptx.find('}', end) - end);
      standin::Code code{standin::op(add, static_cast<unsigned>(1 + kernels.size()))};
      if (body.find("table") != std::string::npos) code.push_back(standin::op(call_by_address, 5));
      if (body.find("own") != std::string::npos) code.push_back(standin::op(call_own, 5));
      kernels.emplace_back(ptx.substr(begin, end - begin), code);
    }
    modules->push_back(kernels.size());
    return {standin::tiny_cubin(kernels), {}};
  }
};

ptx::Kernel kernel_that(const std::string& calls) {
  ptx::Kernel kernel;
  kernel.text = ".visible .entry {{name}}() { call " + calls + "; }";
  return kernel;
}

}  // namespace

TEST_CASE("a kernel that calls by address is assembled alone, so that its code does not depend on its neighbours") {
  std::vector<std::size_t> modules;
  const assemble::Toolchain toolchain{assemble::ToolchainKind::ptxas, "ptxas-13.0", "13.0", {}, 9, 0};
  const auto assembler =
      make_kernel_assembler(std::make_unique<TableAssembler>(&modules), toolchain, isa::Target{90, ""});
  const auto plain = kernel_that("nothing"), own = kernel_that("own"), table = kernel_that("table");
  const auto code_in = [](const assemble::BatchOutcome& outcome, std::size_t kernel) {
    const auto& made = outcome.kernels.at(kernel);
    const auto cubin = sass::read_cubin(outcome.cubins.at(made.cubin.value()));
    const auto found = std::find_if(cubin.kernels.begin(), cubin.kernels.end(),
                                    [&](const sass::KernelCode& code) { return code.name == made.symbol; });
    REQUIRE(found != cubin.kernels.end());
    return found->words;
  };
  const auto alone = code_in(assembler->assemble({{"c", &table}}, 3), 0);
  CHECK(modules == std::vector<std::size_t>{1});

  modules.clear();
  const auto together = assembler->assemble({{"a", &plain}, {"b", &own}, {"c", &table}, {"d", &table}}, 3);
  CHECK(modules == std::vector<std::size_t>{4, 1, 1});
  CHECK(code_in(together, 2) == alone);
  CHECK(code_in(together, 3) == alone);
  INFO("the others stay where they are");
  CHECK(together.kernels[0].cubin == 0);
  CHECK(together.kernels[1].cubin == 0);
}
