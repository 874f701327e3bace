// SPDX-License-Identifier: Apache-2.0
#include "gpu/jit_cache.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

namespace ptxlat::gpu {

namespace fs = std::filesystem;

namespace {

// A header at this place in an ELF. The caller has checked that it is inside.
template <typename Header>
Header header_at(const Bytes& elf, std::uint64_t place) {
  Header header;
  std::memcpy(&header, elf.data() + place, sizeof header);
  return header;
}

constexpr std::array<std::uint8_t, 5> magic = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64};

// How long an ELF is, by its header and those of its sections; 0 if these are not inside.
std::uint64_t size_of(const Bytes& elf) {
  if (elf.size() < sizeof(Elf64_Ehdr)) return 0;
  const auto header = header_at<Elf64_Ehdr>(elf, 0);
  auto end = std::max(header.e_shoff + std::uint64_t{header.e_shentsize} * header.e_shnum,
                      header.e_phoff + std::uint64_t{header.e_phentsize} * header.e_phnum);
  if (header.e_shoff > elf.size() || end > elf.size() || header.e_shentsize < sizeof(Elf64_Shdr)) return 0;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = header_at<Elf64_Shdr>(elf, header.e_shoff + i * header.e_shentsize);
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

Bytes contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

Bytes elf_within(const Bytes& bytes) {
  const auto begin = std::search(bytes.begin(), bytes.end(), magic.begin(), magic.end());
  Bytes elf(begin, bytes.end());
  const auto size = size_of(elf);
  if (size == 0 || size > elf.size()) return {};
  elf.resize(size);
  return elf;
}

JitCache::JitCache(fs::path folder) : folder_(std::move(folder)) {
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;  // the largest that the driver takes
  setenv("CUDA_CACHE_DISABLE", "0", 1);
  setenv("CUDA_CACHE_PATH", folder_.c_str(), 1);
  setenv("CUDA_CACHE_MAXSIZE", std::to_string(most_bytes).c_str(), 1);
}

// The cache also has an index, which the driver keeps.
Bytes JitCache::take() {
  Bytes found;
  std::size_t count = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder_, error)) {
    if (!entry.is_regular_file(error)) continue;
    auto elf = elf_within(contents_of(entry.path()));
    if (elf.empty()) continue;
    ++count;
    found = std::move(elf);
    fs::remove(entry.path(), error);
  }
  return count == 1 ? found : Bytes{};
}

}  // namespace ptxlat::gpu
