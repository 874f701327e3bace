// SPDX-License-Identifier: Apache-2.0
#include "assemble/nvrtc.h"

#include <fstream>

#include "../results/test_folder.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::assemble;
namespace fs = std::filesystem;

namespace {

Toolchain toolchain(ToolchainKind kind, const std::string& version, int ptx_major, int ptx_minor) {
  return {kind, "x-" + version, version, "/toolkits/" + version, ptx_major, ptx_minor};
}

const std::vector<Toolchain> available = {
    toolchain(ToolchainKind::ptxas, "12.4.131", 8, 4), toolchain(ToolchainKind::nvrtc, "13.0.88", 9, 0),
    toolchain(ToolchainKind::nvrtc, "12.4.99", 8, 4), toolchain(ToolchainKind::nvrtc, "12.4.127", 8, 4),
    toolchain(ToolchainKind::nvrtc, "11.8.89", 7, 8)};

std::string chosen_for(ToolchainKind kind, const std::string& version, int ptx_major, int ptx_minor) {
  const Toolchain assembler = toolchain(kind, version, ptx_major, ptx_minor);
  const Toolchain* nvrtc = nvrtc_for(assembler, available);
  return nvrtc == nullptr ? "none" : nvrtc->version;
}

void touch(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "x";
}

}  // namespace

TEST_CASE("an assembler goes with the newest NVRTC of its own CUDA release") {
  CHECK(chosen_for(ToolchainKind::ptxas, "12.4.131", 8, 4) == "12.4.127");
  CHECK(chosen_for(ToolchainKind::nvjitlink, "11.8.1", 7, 8) == "11.8.89");
  CHECK(chosen_for(ToolchainKind::ptxas, "12.8.93", 8, 7) == "none");
  CHECK(chosen_for(ToolchainKind::ptxas, "12.40.1", 9, 9) == "none");
}

TEST_CASE("the driver goes with the newest NVRTC whose PTX it takes") {
  CHECK(chosen_for(ToolchainKind::driver, "580.1", 9, 0) == "13.0.88");
  CHECK(chosen_for(ToolchainKind::driver, "570.1", 8, 8) == "12.4.127");
  CHECK(chosen_for(ToolchainKind::driver, "450.1", 7, 0) == "none");
}

TEST_CASE("headers are found next to the library and in pip's wheel of the runtime") {
  const TestFolder folder;
  auto nvrtc = toolchain(ToolchainKind::nvrtc, "12.4.127", 8, 4);

  nvrtc.path = folder.path / "toolkit/lib/libnvrtc.so.12";
  CHECK(headers_of(nvrtc).empty());
  touch(folder.path / "toolkit/include/cuda_fp16.h");
  CHECK(headers_of(nvrtc) == folder.path / "toolkit/include");

  nvrtc.path = folder.path / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
  touch(folder.path / "nvidia/cuda_runtime/include/cuda_fp16.h");
  CHECK(headers_of(nvrtc) == folder.path / "nvidia/cuda_runtime/include");

  nvrtc.path = folder.path / "usr/lib/x86_64-linux-gnu/libnvrtc.so.12";
  touch(folder.path / "usr/include/cuda_fp16.h");
  CHECK(headers_of(nvrtc) == folder.path / "usr/include");

  nvrtc.path = folder.path / "conda/lib/libnvrtc.so.12";
  touch(folder.path / "conda/targets/x86_64-linux/include/cuda_fp16.h");
  CHECK(headers_of(nvrtc) == folder.path / "conda/targets/x86_64-linux/include");
}
