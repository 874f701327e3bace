// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "../results/child_process.h"
#include "assemble/cuda_version.h"
#include "assemble/toolchain.h"
#include "base/error.h"
#include "catch.h"
#include "fake_toolkit.h"

namespace ptxlat::assemble {
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

// An environment variable that has its old value again at the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;  // its destructor is its meaning
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// What is found below a folder, in the order in which it is looked at.
std::vector<std::filesystem::path> folders_below(const std::filesystem::path& root) {
  auto folders = toolkit_folders();
  std::erase_if(folders, [&](const auto& folder) { return !folder.string().starts_with(root.string() + "/"); });
  return folders;
}

// The one piece of this kind in a toolkit.
ToolkitPiece only_piece(const FakeToolkits& toolkits, const std::string& name, PieceKind kind) {
  const auto found = find_pieces({toolkits.path() / name}, {kind});
  REQUIRE(found.size() == 1);
  return found.front();
}

// What pick_toolchain throws.
Error rejection(const std::vector<Toolchain>& available, const std::string& wanted) {
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
  toolkits.add_library("12.9", "libnvrtc.so.12", "12.9.86");
  toolkits.add_library("12.9", "libnvrtc-builtins.so.12.9", "12.9.86");
  std::filesystem::create_directories(toolkits.path() / "empty" / "bin" / "ptxas");
  toolkits.add_version(".partial-x", "ptxas", "12.1.1");

  const Variable own("PTXLAT_TOOLKITS", toolkits.path().string());
  const auto found = find_toolchains(folders_below(toolkits.path()));
  CHECK(names_of(found) == std::vector<std::string>{"ptxas-13.0.88", "ptxas-12.10.3", "ptxas-11.8.89",
                                                    "nvjitlink-13.0.88", "nvjitlink-12.9.86", "nvrtc-12.9.86"});
  CHECK(found[0].version == "13.0.88");
  CHECK(found[0].ptx_major == 9);
  CHECK(found[0].ptx_minor == 0);
  CHECK(found[2].path == toolkits.path() / "11.8" / "bin" / "ptxas");
  CHECK(found[2].ptx_minor == 8);
}

TEST_CASE("a folder of toolkits that the user named and may not read is an error, one that is not there is none") {
  FakeToolkits toolkits;
  const auto hidden = toolkits.path() / "hidden", below = hidden / "below";
  std::filesystem::create_directories(below);
  std::filesystem::permissions(hidden, std::filesystem::perms::none);
  std::filesystem::permissions(toolkits.path(), std::filesystem::perms(0755));
  for (const auto& folder : {hidden, below}) {
    INFO(folder);
    const auto child = start_child([&] {
      if (::geteuid() == 0 && ::setuid(65534) != 0) return 1;  // root reads every folder
      const Variable own("PTXLAT_TOOLKITS", folder.string());
      toolkit_folders();
      return 0;
    });
    CHECK(exit_status_of(child) == static_cast<int>(ExitCode::missing_tool));
  }
  std::filesystem::permissions(hidden, std::filesystem::perms::owner_all);
  const Variable own("PTXLAT_TOOLKITS", (toolkits.path() / "none").string());
  CHECK_NOTHROW(toolkit_folders());
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

TEST_CASE("toolkits are found where CUDA, conda, pip and PATH have them") {
  FakeToolkits places;
  const auto root = places.path();
  places.add_version("cuda_home", "ptxas", "12.0.1");
  places.add_version("cuda_path", "ptxas", "12.0.2");
  places.add_version("conda", "ptxas", "12.0.3");
  places.add_version("conda/lib/python3.11/site-packages/nvidia/cuda_nvcc", "ptxas", "12.0.4");
  places.add_version("venv/lib/python3.12/site-packages/nvidia/cuda_nvcc", "ptxas", "12.0.5");
  places.add_version("on_path", "ptxas", "12.0.6");
  places.add_program("pyenv", "python3", "true");
  places.add_version("pyenv/versions/3.9.1/lib/python3.9/site-packages/nvidia/cu13", "ptxas", "13.0.7");
  places.add_version("home/.local/lib/python3.9/site-packages/nvidia/cu13", "ptxas", "13.0.8");
  std::filesystem::create_directory_symlink(root / "cuda_home", root / "same");
  const Variable variables[] = {{"PTXLAT_TOOLKITS", ""},
                                {"CUDA_HOME", root / "cuda_home"},
                                {"CUDA_PATH", root / "cuda_path"},
                                {"CONDA_PREFIX", root / "conda"},
                                {"VIRTUAL_ENV", root / "venv"},
                                {"HOME", root / "home"},
                                {"PATH", (root / "same/bin").string() + ":" + (root / "on_path/bin").string() + ":" +
                                             (root / "pyenv/bin").string()}};
  std::vector<std::string> versions;
  for (const auto& piece : find_pieces(folders_below(root), {PieceKind::ptxas})) versions.push_back(piece.version);
  CHECK(versions ==
        std::vector<std::string>{"12.0.1", "12.0.2", "12.0.3", "12.0.4", "12.0.5", "12.0.6", "13.0.7", "13.0.8"});
}

TEST_CASE("a piece that cannot be used says why and is not a toolchain") {
  FakeToolkits toolkits;
  toolkits.add_program("crashing", "ptxas", "kill -SEGV $$");
  toolkits.add_program("flooding", "ptxas", "yes");
  toolkits.add_program("silent", "ptxas", "exit 0");
  const auto foreign = toolkits.add_program("foreign", "ptxas", "");
  FakeToolkits::write(foreign,
                      "\x7f"
                      "ELF of another processor");
  toolkits.add_library("no_builtins", "libnvrtc.so.12", "12.4.127");
  toolkits.add_library("nameless", "libnvJitLink.so.12", "");
  auto whole = FakeToolkits::library(FakeToolkits::banner("12.4.127"));
  FakeToolkits::write(toolkits.path() / "short/lib/libnvJitLink.so.12", whole.substr(0, whole.size() - 1));
  FakeToolkits::write(toolkits.path() / "text/lib/libnvJitLink.so.12", std::string(100, 'x'));
  whole[offsetof(Elf64_Ehdr, e_machine)] = 2;  // SPARC
  FakeToolkits::write(toolkits.path() / "sparc/lib/libnvJitLink.so.12", whole);

  CHECK(only_piece(toolkits, "crashing", PieceKind::ptxas).problem == "died of signal 11 (Segmentation fault)");
  CHECK(only_piece(toolkits, "silent", PieceKind::ptxas).problem == "does not say which CUDA version it is from");
  CHECK(only_piece(toolkits, "flooding", PieceKind::ptxas).problem == "wrote more output than expected");
  CHECK(only_piece(toolkits, "foreign", PieceKind::ptxas).problem == "cannot be started: Exec format error");
  CHECK(only_piece(toolkits, "no_builtins", PieceKind::nvrtc).problem == "has no libnvrtc-builtins.so.12.4 beside it");
  CHECK(only_piece(toolkits, "nameless", PieceKind::nvjitlink).problem == "does not say which CUDA version it is from");
  CHECK(only_piece(toolkits, "short", PieceKind::nvjitlink).problem.starts_with("is truncated: "));
  CHECK(only_piece(toolkits, "text", PieceKind::nvjitlink).problem == "is not a shared library");
  CHECK(only_piece(toolkits, "sparc", PieceKind::nvjitlink).problem ==
        "is a library for a different kind of processor");
  const Variable own("PTXLAT_TOOLKITS", toolkits.path().string());
  CHECK(find_toolchains(folders_below(toolkits.path())).empty());
}

TEST_CASE("the disassembler of a target is the newest that knows it") {
  FakeToolkits toolkits;
  const auto old = toolkits.add_nvdisasm("12.3", "12.3.52", "'SM50','SM70','SM75','SM90','SM90a'");
  const auto newest = toolkits.add_nvdisasm("13.5", "13.5.37", "'SM75','SM90','SM90a','SM107'");
  const auto middle = toolkits.add_nvdisasm("13.2", "13.2.78", "'SM75','SM90','SM101'");
  const std::vector<std::filesystem::path> folders{toolkits.path() / "12.3", toolkits.path() / "13.5",
                                                   toolkits.path() / "13.2"};
  CHECK(nvdisasm_for({70, ""}, folders) == old);
  CHECK(nvdisasm_for({90, "a"}, folders) == newest);
  CHECK(nvdisasm_for({101, ""}, folders) == middle);
  try {
    nvdisasm_for({70, ""}, {toolkits.path() / "13.2"});
    FAIL("picked one that does not know the target");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::missing_tool);
    CHECK(std::string(error.what()).find("sm_70") != std::string::npos);
    CHECK(std::string(error.what()).find("13.2.78 knows sm_75 to sm_101") != std::string::npos);
    CHECK(error.advice.find("tools/toolkits.sh 12.3") != std::string::npos);
  }
}

TEST_CASE("an architecture whose machine code nothing here reads is rejected by name, whatever is installed") {
  FakeToolkits toolkits;
  toolkits.add_nvdisasm("11.8", "11.8.86", "'SM35','SM50','SM70'");
  try {
    nvdisasm_for({35, ""}, {toolkits.path() / "11.8"});
    FAIL("Kepler was accepted");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::unknown_name);
    CHECK(std::string(error.what()).find("unsupported architecture") != std::string::npos);
    CHECK(std::string(error.what()).find("sm_35") != std::string::npos);
  }
}

TEST_CASE("targets are read from what the tools print as help") {
  CHECK(targets_in_help("Allowed values for this option:  'compute_100','lto_90','sm_100','sm_100a',\n"
                        "        'sm_75','sm_90'.\n        Default value:  'sm_75'.") ==
        std::vector<std::string>{"sm_75", "sm_90", "sm_100", "sm_100a"});
  CHECK(targets_in_help("'SM100f','SM50' use 'SMxy' or 'sm_'").size() == 2);
  CHECK(targets_in_help("").empty());
}

TEST_CASE("a toolchain is picked by name, by prefix of its version and by kind") {
  const auto available = some_toolchains();
  CHECK(pick_toolchain(available, "ptxas-12.9.86").name == "ptxas-12.9.86");
  CHECK(pick_toolchain(available, "ptxas-12").name == "ptxas-12.10.1");
  CHECK(pick_toolchain(available, "ptxas").name == "ptxas-13.0.88");
  CHECK(pick_toolchain(available, "driver").name == "driver-580.159.04");
  CHECK(pick_toolchain(available, "nvjitlink-12.9").name == "nvjitlink-12.9.86");
}

TEST_CASE("several toolchains are picked in the requested order, each once") {
  const auto available = some_toolchains();
  CHECK(names_of(pick_toolchains(available, "driver,ptxas-12.9,nvjitlink,ptxas-12.9.86")) ==
        std::vector<std::string>{"driver-580.159.04", "ptxas-12.9.86", "nvjitlink-12.9.86"});
  CHECK(names_of(pick_toolchains(available, "ptxas")) == std::vector<std::string>{"ptxas-13.0.88"});
  for (const std::string wanted : {"ptxas,ptxas-11.8", "ptxas,", ",ptxas", "ptxas,,driver", ""}) {
    INFO(wanted);
    CHECK_THROWS_AS(pick_toolchains(available, wanted), Error);
  }
}

TEST_CASE("a missing toolchain is an error that names the nearest and the available ones") {
  const auto available = some_toolchains();
  for (const std::string wanted : {"ptxas-1", "ptxas-13.0.8", "ptxas-13.0.89", "ptaxs-13.0.88", ""}) {
    INFO(wanted);
    const Error error = rejection(available, wanted);
    CHECK(error.exit_code == ExitCode::unknown_name);
    CHECK(error.advice.find("nvjitlink-12.9.86") != std::string::npos);
  }
  CHECK(rejection(available, "ptaxs-13.0.88").advice.starts_with("did you mean ptxas-13.0.88?"));
  CHECK(rejection({}, "ptxas").exit_code == ExitCode::missing_tool);
  CHECK(rejection({}, "ptxas").advice.find("toolkits.sh") != std::string::npos);
  CHECK(rejection(available, "ptxas-11.8").advice.find("tools/toolkits.sh 11.8") != std::string::npos);
  CHECK(rejection(available, "ptxas-12.11").advice.starts_with("did you mean ptxas-12.10?"));
}

TEST_CASE("what compiles CUDA C is not offered as an assembler") {
  auto available = some_toolchains();
  available.push_back({ToolchainKind::nvrtc, "nvrtc-13.0.88", "13.0.88", {}, 9, 0});
  CHECK(rejection(available, "ptxas-99").advice.find("nvrtc") == std::string::npos);
  CHECK(rejection(available, "nvrtc-99").advice.find("nvrtc-13.0.88") != std::string::npos);
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
}

}  // namespace ptxlat::assemble
