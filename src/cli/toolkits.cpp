// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "cli/commands.h"
#include "cli/print.h"

namespace ptxlat::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* script_name = "toolkits.sh";

fs::path script() {
  const auto tools = data_folder("tools", [](const fs::path& folder) { return fs::exists(folder / script_name); });
  if (!tools.empty()) return tools / script_name;
  throw Error(ExitCode::missing_tool, "this installation lacks tools/toolkits.sh, which downloads toolkits",
              "install NVIDIA's wheels instead: pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm");
}

// $PTXLAT_TOOLKITS; else `toolkits` beside the script's folder, as in a checkout; else the user's own, if that cannot
// be written. All three are searched.
fs::path destination(const fs::path& of_script) {
  if (const fs::path chosen = environment_or("PTXLAT_TOOLKITS", ""); !chosen.empty()) return fs::absolute(chosen);
  const auto root = of_script.parent_path().parent_path();
  auto beside = root / "toolkits";
  if (::access((fs::exists(beside) ? beside : root).c_str(), W_OK) == 0) return beside;
  const auto own = assemble::toolkits_of_user();
  if (own.empty()) throw file_error(beside, "write to", EACCES);
  return own;
}

// Becomes the script, which says what it does.
void download(const std::vector<std::string>& versions) {
  const auto file = script();
  if (program_on_path("python3").empty())
    throw Error(ExitCode::missing_tool, "python3 is needed to download NVIDIA's wheels, and it is not installed",
                "apt-get install python3-pip python3-venv, dnf install python3-pip, or pacman -S python-pip");
  const auto folder = destination(file);
  say(stderr, "into {}\n", folder.string());
  std::cout.flush();
  setenv("PTXLAT_TOOLKITS", folder.c_str(), 1);
  std::vector<std::string> words{"bash", file.string()};
  words.insert(words.end(), versions.begin(), versions.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp("bash", arguments.data());
  throw Error(ExitCode::missing_tool, "bash cannot be started", "install it, or run " + file.string() + " yourself");
}

}  // namespace

void add_toolkits(CLI::App& program) {
  auto* command = program.add_subcommand("toolkits",
                                         "Download the ptxas, nvdisasm, nvJitLink and NVRTC of CUDA versions, without "
                                         "installing anything: 80 MB for each. "
                                         "The folder is $PTXLAT_TOOLKITS, the program's own, or if that cannot be "
                                         "written, ~/.local/share/ptxlat/toolkits. "
                                         "Needs python3 and a network.");
  auto versions = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("versions", *versions,
                   "CUDA versions: 11.8, 12.4, 12.4.99; latest; all; or cupti, which reads hardware counters. Default: "
                   "13.0.")
      ->type_name("VERSION");
  command->callback([versions] { download(*versions); });
}

}  // namespace ptxlat::cli
