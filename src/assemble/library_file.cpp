// SPDX-License-Identifier: Apache-2.0
#include "assemble/library_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "assemble/cuda_version.h"

namespace ptxlat::assemble {
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
