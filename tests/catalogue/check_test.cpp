// SPDX-License-Identifier: Apache-2.0

// The shipped catalogue before the judge: every form, assembled for the oldest target that has it. Minutes on two
// cores.
#include "../cli/ptxlat_program.h"
#include "../sass/real_code.h"

using namespace ptxlat;

TEST_CASE("ptxas takes every form of the shipped catalogue") {
  // The catalogue has everything that CUDA 13.5 supports; an older ptxas rejects newer forms. tools/test.sh brings this
  // one, apart from the toolkits of all other tests.
  const auto newest = std::filesystem::path(PTXLAT_SOURCE_DIR) / "toolkits/newest";
  if (!std::filesystem::exists(newest / "13.5/bin/ptxas")) skip("no ptxas 13.5 (tools/test.sh brings it)");
  PtxlatProgram program;
  program.set("PTXLAT_TOOLKITS", newest);
  const auto checked = program.run({"check", "--toolchain", "ptxas-13.5"});
  INFO(checked.out);
  CHECK(checked.status == 0);
  CHECK_THAT(checked.err, Catch::Matchers::Contains(" accepts all "));
}
