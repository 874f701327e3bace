#include <stdlib.h>

#include "assemble/cuda_version.h"
#include "assemble/toolchain.h"
#include "catch.h"
#include "error.h"
#include "fake_toolkit.h"

namespace ptxlat {
namespace {

std::vector<std::string> names_of(const std::vector<Toolchain>& toolchains) {
  std::vector<std::string> names;
  for (const Toolchain& toolchain : toolchains) names.push_back(toolchain.name);
  return names;
}

std::vector<Toolchain> some_toolchains() {
  return {{ToolchainKind::driver, "driver-580.159.04", "580.159.04", {}, 9, 0},
          {ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", "a", 9, 0},
          {ToolchainKind::ptxas, "ptxas-12.9.86", "12.9.86", "b", 8, 8},
          {ToolchainKind::ptxas, "ptxas-12.10.1", "12.10.1", "c", 8, 9},
          {ToolchainKind::nvjitlink, "nvjitlink-12.9.86", "12.9.86", "d", 8, 8}};
}

// What pick_toolchain throws.
Error refusal(const std::vector<Toolchain>& available, const std::string& wanted) {
  try {
    pick_toolchain(available, wanted);
  } catch (const Error& error) {
    return error;
  }
  FAIL("picked something for " << wanted);
  return Error(ExitCode::success, "");
}

}  // namespace

TEST_CASE("toolchains are found newest first, each version once, and broken ones are left out") {
  FakeToolkits toolkits;
  toolkits.add_version("11.8", "ptxas", "11.8.89");
  toolkits.add_version("13.0", "ptxas", "13.0.88");
  toolkits.add_version("again", "ptxas", "13.0.88");
  toolkits.add_version("12.10", "ptxas", "12.10.3");
  toolkits.add_program("broken", "ptxas", "exit 1");
  toolkits.add_program("crashing", "ptxas", "kill -SEGV $$");
  toolkits.add_program("silent", "ptxas", "exit 0");
  toolkits.add_nvjitlink("13.0", "13.0.88");
  toolkits.add_nvjitlink("12.9", "12.9.86");
  std::filesystem::create_directories(toolkits.path() / "empty" / "bin" / "ptxas");

  setenv("PTXLAT_TOOLKITS", toolkits.path().c_str(), 1);
  std::vector<std::filesystem::path> own;
  for (const auto& folder : toolkit_folders()) {
    if (folder.parent_path() == toolkits.path()) own.push_back(folder);
  }
  unsetenv("PTXLAT_TOOLKITS");

  const auto found = find_toolchains(own);
  CHECK(names_of(found) == std::vector<std::string>{"ptxas-13.0.88", "ptxas-12.10.3", "ptxas-11.8.89",
                                                    "nvjitlink-13.0.88", "nvjitlink-12.9.86"});
  CHECK(found[0].version == "13.0.88");
  CHECK(found[0].ptx_major == 9);
  CHECK(found[0].ptx_minor == 0);
  CHECK(found[2].path == toolkits.path() / "11.8" / "bin" / "ptxas");
  CHECK(found[2].ptx_minor == 8);
}

TEST_CASE("the newest disassembler is taken, and a folder without one gives an empty path") {
  FakeToolkits toolkits;
  toolkits.add_version("9", "nvdisasm", "9.2.148");
  const auto newest = toolkits.add_version("13.2", "nvdisasm", "13.2.78");
  toolkits.add_version("13.0", "nvdisasm", "13.0.85");
  CHECK(find_nvdisasm({toolkits.path() / "9", toolkits.path() / "13.2", toolkits.path() / "13.0"}) == newest);
  CHECK(find_nvdisasm({toolkits.path()}).empty());
  CHECK(find_nvdisasm({}).empty());
}

TEST_CASE("a toolchain is picked by name, by prefix of its version and by kind") {
  const auto available = some_toolchains();
  CHECK(pick_toolchain(available, "ptxas-12.9.86").name == "ptxas-12.9.86");
  CHECK(pick_toolchain(available, "ptxas-12").name == "ptxas-12.10.1");
  CHECK(pick_toolchain(available, "ptxas").name == "ptxas-13.0.88");
  CHECK(pick_toolchain(available, "driver").name == "driver-580.159.04");
  CHECK(pick_toolchain(available, "nvjitlink-12.9").name == "nvjitlink-12.9.86");
}

TEST_CASE("a toolchain that is not here is answered with the nearest and with what is") {
  const auto available = some_toolchains();
  for (const std::string wanted : {"ptxas-1", "ptxas-13.0.8", "ptxas-13.0.89", "ptaxs-13.0.88", ""}) {
    INFO(wanted);
    const Error error = refusal(available, wanted);
    CHECK(error.exit_code == ExitCode::unknown_name);
    CHECK(error.advice.find("nvjitlink-12.9.86") != std::string::npos);
  }
  CHECK(refusal(available, "ptaxs-13.0.88").advice.starts_with("did you mean ptxas-13.0.88?"));
  CHECK(refusal({}, "ptxas").exit_code == ExitCode::missing_tool);
  CHECK(refusal({}, "ptxas").advice.find("fetch_cuda.sh") != std::string::npos);
}

TEST_CASE("versions compare by number") {
  CHECK(compare_versions("9.2", "13.0.88") < 0);
  CHECK(compare_versions("12.10.1", "12.9.86") > 0);
  CHECK(compare_versions("13.0", "13.0.0") == 0);
  CHECK(compare_versions("", "1") < 0);
}

TEST_CASE("the newest PTX version follows from the CUDA version") {
  using Version = std::pair<int, int>;
  CHECK(newest_ptx_of_cuda("11.8.89") == Version{7, 8});
  CHECK(newest_ptx_of_cuda("12.0.140") == Version{8, 0});
  CHECK(newest_ptx_of_cuda("12.5.82") == Version{8, 5});
  CHECK(newest_ptx_of_cuda("12.6.85") == Version{8, 5});
  CHECK(newest_ptx_of_cuda("12.8.93") == Version{8, 7});
  CHECK(newest_ptx_of_cuda("12.9.86") == Version{8, 8});
  CHECK(newest_ptx_of_cuda("13.0.88") == Version{9, 0});
  CHECK(newest_ptx_of_cuda("13.5.37") == Version{9, 5});
}

TEST_CASE("the version is read from the line that every tool of the toolkit prints") {
  CHECK(version_in_banner("...\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13") == "13.0.88");
  CHECK(version_in_banner("Cuda compilation tools, release %s, V%s Cuda compilation tools, release 12.4, V12.4.127") ==
        "12.4.127");
  CHECK(version_in_banner("Cuda compilation tools, release 13.0").empty());
  CHECK(version_in_file("/nonexistent").empty());
}

}  // namespace ptxlat
