// SPDX-License-Identifier: Apache-2.0
#include "assemble/folders.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "assemble/cuda_version.h"
#include "assemble/toolchain.h"
#include "base/environment.h"
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

// pip's wheels are toolkits in pieces, one folder each: nvidia/cuda_nvcc, nvidia/nvjitlink, …, nvidia/cu13. Triton,
// which comes with PyTorch, has the programs that it calls.
Folders toolkits_of_packages(const fs::path& packages) {
  auto folders = entries(packages / "nvidia");
  folders.push_back(packages / "triton/backends/nvidia");
  return folders;
}

// `prefix` is a Python installation or an environment.
Folders wheels_of_python(const fs::path& prefix) {
  Folders folders;
  for (const fs::path& library : entries(prefix / "lib")) {
    if (!library.filename().string().starts_with("python3")) continue;
    for (const char* const packages : {"site-packages", "dist-packages"})
      append(folders, toolkits_of_packages(library / packages));
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
    // A program in a wheel has NVIDIA's wheels beside it, whether or not an environment is active.
    if (const auto name = folder.filename(); name == "site-packages" || name == "dist-packages")
      append(folders, toolkits_of_packages(folder));
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

fs::path toolkits_of_user() {
  const fs::path data = environment("XDG_DATA_HOME"), home = environment("HOME");
  if (data.is_absolute()) return data / "ptxlat/toolkits";
  return home.is_absolute() ? home / ".local/share/ptxlat/toolkits" : fs::path();
}

Folders toolkit_folders() {
  Folders folders;
  if (const std::string own = environment("PTXLAT_TOOLKITS"); !own.empty()) folders = entries_named(own);
  append(folders, folders_near_program());
  append(folders, entries(toolkits_of_user()));
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

namespace {

#if defined(__aarch64__)
constexpr Elf64_Half own_machine = EM_AARCH64;
#else
constexpr Elf64_Half own_machine = EM_X86_64;
#endif

// A file in memory, read only; empty if it cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (bytes != MAP_FAILED) bytes_ = {static_cast<const char*>(bytes), size};
    }
    close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;  // owns the mapping
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

// Copies a T out of the file, so that neither alignment nor a short file matters.
template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::optional<Elf64_Shdr> section(std::string_view bytes, const Elf64_Ehdr& header, unsigned index) {
  return read_at<Elf64_Shdr>(bytes, header.e_shoff + std::uint64_t{index} * sizeof(Elf64_Shdr));
}

// The section of constants, where the banner is: the code before it is most of a library of 100 MB, and reading that
// from a cold disk takes seconds.
std::string_view constants_in(std::string_view bytes, const Elf64_Ehdr& header) {
  const auto names = section(bytes, header, header.e_shstrndx);
  for (unsigned index = 0; names && index < header.e_shnum; ++index) {
    const auto found = section(bytes, header, index);
    constexpr std::string_view wanted(".rodata\0", 8);
    const auto name_offset = names->sh_offset + found->sh_name;
    if (name_offset > bytes.size() || bytes.substr(name_offset, wanted.size()) != wanted) continue;
    if (found->sh_offset <= bytes.size()) return bytes.substr(found->sh_offset, found->sh_size);
  }
  return bytes;
}

}  // namespace

LibraryFile examine_library(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (bytes.empty()) return {{}, "is empty or cannot be read"};
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {{}, "is not a shared library"};
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != own_machine)
    return {{}, "is a library for a different kind of processor"};
  // The section table is at the end of the file, so a truncated end shows here.
  const std::uint64_t end = header->e_shoff + std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr);
  if (header->e_shoff > bytes.size() || end > bytes.size())
    return {{}, fmt::format("is truncated: {} bytes of at least {}", bytes.size(), end)};
  auto version = version_in_banner(constants_in(bytes, *header));
  if (version.empty()) return {{}, "does not say which CUDA version it is from"};
  return {std::move(version), {}};
}

}  // namespace ptxlat::assemble
