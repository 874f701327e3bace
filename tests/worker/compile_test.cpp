// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "assemble/nvrtc.h"
#include "base/error.h"
#include "catch.h"
#include "environment.h"

using namespace ptxlat;
using namespace ptxlat::worker;

namespace {

// An NVRTC of this machine. Skips the case without one.
assemble::Toolchain find_nvrtc() {
  for (const assemble::Toolchain& toolchain : assemble::find_toolchains())
    if (toolchain.kind == assemble::ToolchainKind::nvrtc) return toolchain;
  skip("no NVRTC on this machine (tools/toolkits.sh brings one)");
}

const std::vector<std::string> target_options = {"--gpu-architecture=compute_80", "--relocatable-device-code=true"};

}  // namespace

TEST_CASE("NVRTC compiles in a worker process, and rejects in its own words") {
  const auto nvrtc = find_nvrtc();
  Worker worker(test_options());
  const auto compiled =
      worker.compile(nvrtc, "extern \"C\" __device__ float f(float a) { return __sinf(a); }", target_options);
  INFO(compiled.log);
  REQUIRE(compiled.ptx);
  CHECK(compiled.ptx->find("sin.approx.f32") != std::string::npos);

  const auto rejected =
      worker.compile(nvrtc, "int x;\nextern \"C\" __device__ int f() { return __no_such(1); }", target_options);
  CHECK_FALSE(rejected.ptx);
  CHECK(rejected.log.find("functions.cu(2): error: identifier \"__no_such\" is undefined") != std::string::npos);
}

TEST_CASE("a file that is not NVRTC is a missing tool, and the worker survives") {
  Worker worker(test_options());
  const assemble::Toolchain broken{assemble::ToolchainKind::nvrtc, "nvrtc-1.0", "1.0", "/no/such/libnvrtc.so", 9, 0};
  CHECK_THROWS_WITH(worker.compile(broken, "", target_options), Catch::Matchers::Contains("NVRTC cannot be opened"));
  CHECK_THROWS_WITH(worker.compile(broken, "", target_options), Catch::Matchers::Contains("NVRTC cannot be opened"));
}
