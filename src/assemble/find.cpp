#include <stdlib.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include "assemble/cuda_version.h"
#include "assemble/process.h"
#include "assemble/toolchain.h"
#include "error.h"

namespace ptxlat {
namespace {

namespace fs = std::filesystem;

// Long enough for a program on a cold network disk; what takes longer is not usable either.
constexpr std::chrono::seconds version_deadline{20};

// What a folder holds, sorted; nothing if it cannot be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string environment(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? std::string() : value;
}

// The toolkits whose programs PATH leads to, through symbolic links: /usr/local/bin/ptxas may point anywhere.
std::vector<fs::path> folders_on_path() {
  std::vector<fs::path> folders;
  std::istringstream path(environment("PATH"));
  for (std::string directory; std::getline(path, directory, ':');) {
    if (directory.empty()) continue;
    for (const char* const program : {"ptxas", "nvdisasm"}) {
      std::error_code error;
      const fs::path file = fs::canonical(fs::path(directory) / program, error);
      if (!error) folders.push_back(file.parent_path().parent_path());
    }
  }
  return folders;
}

// `toolkits/` in every folder above this program: build/release/bin/ptxlat has it three levels up, an installed
// bin/ptxlat one.
std::vector<fs::path> folders_near_program() {
  std::vector<fs::path> folders;
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  while (!error && folder.has_relative_path()) {
    const std::vector<fs::path> here = entries(folder / "toolkits");
    folders.insert(folders.end(), here.begin(), here.end());
    folder = folder.parent_path();
  }
  return folders;
}

// The version that a program of the toolkit states, or nothing if it is broken or for another processor.
std::string version_of_program(const fs::path& program) {
  const TemporaryFolder folder;
  try {
    const ProcessOutcome outcome = run_program(program, {"--version"}, folder.path(), version_deadline);
    return outcome.ok() ? version_in_banner(outcome.output) : std::string();
  } catch (const Error&) {
    return {};  // cannot be started: not a toolchain of this machine
  }
}

std::vector<fs::path> nvjitlink_files(const fs::path& toolkit) {
  std::vector<fs::path> files;
  for (const char* const folder : {"lib64", "lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu",
                                   "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    for (const fs::path& file : entries(toolkit / folder)) {
      if (file.filename().string().starts_with("libnvJitLink.so.")) files.push_back(file);
    }
  }
  return files;
}

// Sees each file once, whatever links lead to it.
class SeenFiles {
 public:
  bool is_new(const fs::path& path) {
    std::error_code error;
    const fs::path file = fs::canonical(path, error);
    return !error && fs::is_regular_file(file, error) && seen_.insert(file.string()).second;
  }

 private:
  std::set<std::string> seen_;
};

void add(std::vector<Toolchain>& found, ToolchainKind kind, const std::string& prefix, const std::string& version,
         const fs::path& path) {
  if (version.empty()) return;
  const std::string name = prefix + version;
  const auto same = [&](const Toolchain& toolchain) { return toolchain.name == name; };
  if (std::any_of(found.begin(), found.end(), same)) return;
  const auto [ptx_major, ptx_minor] = newest_ptx_of_cuda(version);
  found.push_back({kind, name, version, path, ptx_major, ptx_minor});
}

}  // namespace

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  if (const std::string own = environment("PTXLAT_TOOLKITS"); !own.empty()) folders = entries(own);
  const auto append = [&](const std::vector<fs::path>& more) {
    folders.insert(folders.end(), more.begin(), more.end());
  };
  append(folders_near_program());
  if (const std::string home = environment("CUDA_HOME"); !home.empty()) folders.emplace_back(home);
  append(folders_on_path());
  for (const fs::path& folder : entries("/usr/local")) {
    if (folder.filename().string().starts_with("cuda")) folders.push_back(folder);
  }
  folders.emplace_back("/usr/lib/nvidia-cuda-toolkit");
  folders.emplace_back("/usr");
  std::error_code error;
  std::erase_if(folders, [&](const fs::path& folder) { return !fs::is_directory(folder, error); });
  return folders;
}

std::vector<Toolchain> find_toolchains(const std::vector<fs::path>& folders) {
  std::vector<Toolchain> found;
  SeenFiles seen;
  for (const fs::path& folder : folders) {
    const fs::path ptxas = folder / "bin" / "ptxas";
    if (seen.is_new(ptxas)) add(found, ToolchainKind::ptxas, "ptxas-", version_of_program(ptxas), ptxas);
    for (const fs::path& library : nvjitlink_files(folder)) {
      if (!seen.is_new(library)) continue;
      add(found, ToolchainKind::nvjitlink, "nvjitlink-", version_in_file(library), library);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Toolchain& left, const Toolchain& right) {
    if (left.kind != right.kind) return left.kind < right.kind;
    return compare_versions(left.version, right.version) > 0;
  });
  return found;
}

fs::path find_nvdisasm(const std::vector<fs::path>& folders) {
  fs::path newest;
  std::string newest_version;
  SeenFiles seen;
  for (const fs::path& folder : folders) {
    const fs::path program = folder / "bin" / "nvdisasm";
    if (!seen.is_new(program)) continue;
    const std::string version = version_of_program(program);
    if (version.empty() || compare_versions(version, newest_version) <= 0) continue;
    newest = program;
    newest_version = version;
  }
  return newest;
}

}  // namespace ptxlat
