// SPDX-License-Identifier: Apache-2.0
#include "assemble/folders.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <system_error>

#include "assemble/toolchain.h"
#include "base/data_folder.h"
#include "base/error.h"
#include "base/file.h"

namespace ptxlat::assemble {
namespace {

namespace fs = std::filesystem;

using Folders = std::vector<fs::path>;

std::string environment(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? std::string() : value;
}

void append(Folders& folders, const Folders& more) { folders.insert(folders.end(), more.begin(), more.end()); }

// pip's wheels are toolkits in pieces, one folder each: nvidia/cuda_nvcc, nvidia/nvjitlink, …, nvidia/cu13. `prefix` is
// a Python installation or an environment.
Folders wheels_of_python(const fs::path& prefix) {
  Folders folders;
  for (const fs::path& library : entries(prefix / "lib")) {
    if (!library.filename().string().starts_with("python3")) continue;
    for (const char* const packages : {"site-packages", "dist-packages"})
      append(folders, entries(library / packages / "nvidia"));
  }
  return folders;
}

// The toolkits that PATH leads to, through symbolic links: /usr/local/bin/ptxas may point anywhere. The link to an
// environment's python3 shows where that environment is.
Folders folders_on_path() {
  Folders folders, wheels;
  std::istringstream path(environment("PATH"));
  std::error_code error;
  for (std::string text; std::getline(path, text, ':');) {
    if (text.empty()) continue;
    const fs::path directory = text;
    for (const char* const program : {"ptxas", "nvdisasm"}) {
      const fs::path file = fs::canonical(directory / program, error);
      if (!error) folders.push_back(file.parent_path().parent_path());
    }
    const fs::path python = fs::canonical(directory / "python3", error);
    if (error) continue;
    append(wheels, wheels_of_python(directory.lexically_normal().parent_path()));
    append(wheels, wheels_of_python(python.parent_path().parent_path()));
    // pyenv puts a script before all of its installed versions in PATH.
    for (const fs::path& version : entries(directory.lexically_normal().parent_path() / "versions"))
      append(wheels, wheels_of_python(version));
  }
  append(folders, wheels);
  return folders;
}

// `toolkits/` in every folder above this program: build/release/bin/ptxlat has it three levels up, an installed
// bin/ptxlat one, or in share/ptxlat, where the installed toolkits.sh puts it.
Folders folders_near_program() {
  Folders folders;
  fs::path folder = program_folder();
  while (folder.has_relative_path()) {
    append(folders, entries(folder / "toolkits"));
    append(folders, entries(folder / "share/ptxlat/toolkits"));
    folder = folder.parent_path();
  }
  return folders;
}

// Those of the folder that the user named: others would be taken for all if it could not be read.
Folders entries_named(const fs::path& folder) {
  if (::access(folder.c_str(), R_OK | X_OK) != 0 && errno == EACCES)
    throw Error(ExitCode::missing_tool, fmt::format("PTXLAT_TOOLKITS cannot be read: {}", folder.string()),
                "Check its permissions, or unset the variable.");
  return entries(folder);
}

}  // namespace

Folders entries(const fs::path& folder) {
  // Most of these places are not there, and what this user may not read is no place for this user's toolkits.
  if (::access(folder.c_str(), R_OK | X_OK) != 0 || !fs::is_directory(folder)) return {};
  auto found = entries_of(folder, ExitCode::missing_tool);
  // Dot files are unfinished downloads or not ours.
  std::erase_if(found, [](const fs::path& entry) { return entry.filename().string().starts_with('.'); });
  return found;
}

Folders toolkit_folders() {
  Folders folders;
  if (const std::string own = environment("PTXLAT_TOOLKITS"); !own.empty()) folders = entries_named(own);
  append(folders, folders_near_program());
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"})
    if (const std::string home = environment(name); !home.empty()) folders.emplace_back(home);
  for (const char* const name : {"CONDA_PREFIX", "VIRTUAL_ENV"})
    if (const std::string home = environment(name); !home.empty()) append(folders, wheels_of_python(home));
  append(folders, folders_on_path());
  if (const std::string home = environment("HOME"); !home.empty())
    append(folders, wheels_of_python(fs::path(home) / ".local"));
  append(folders, wheels_of_python("/usr/local"));
  for (const fs::path& folder : entries("/usr/local")) {
    if (folder.filename().string().starts_with("cuda")) folders.push_back(folder);
  }
  append(folders, {"/opt/cuda", "/usr/lib/nvidia-cuda-toolkit", "/usr"});

  // Each folder once, whatever links lead to it.
  Folders distinct, seen;
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !fs::is_directory(real, error) || std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
    seen.push_back(real);
    distinct.push_back(folder);
  }
  return distinct;
}

}  // namespace ptxlat::assemble
