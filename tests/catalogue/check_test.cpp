// SPDX-License-Identifier: Apache-2.0

// The shipped catalogue before the judge: every form, assembled for the oldest target that has it. Minutes on two
// cores.
#include "../cli/ptxlat_program.h"
#include "../sass/real_code.h"

using namespace ptxlat;

TEST_CASE("ptxas takes every form of the shipped catalogue") {
  // The catalogue has everything that CUDA 13 supports; an older ptxas rejects newer forms. Newest first: the last one
  // is CUDA 13.0's where that is here, against which the entries were written.
  auto found = ptxas_or_skip();
  std::erase_if(found, [](const assemble::Toolchain& toolchain) { return std::stoi(toolchain.version) != 13; });
  if (found.empty()) skip("no ptxas of CUDA 13 on this machine (tools/toolkits.sh brings one)");
  PtxlatProgram program;
  if (const char* toolkits = std::getenv("PTXLAT_TOOLKITS")) program.set("PTXLAT_TOOLKITS", toolkits);
  const auto checked = program.run({"check", "--toolchain", found.back().name});
  INFO(checked.out);
  CHECK(checked.status == 0);
  CHECK_THAT(checked.err, Catch::Matchers::Contains(" accepts all "));
}
