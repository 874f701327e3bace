// SPDX-License-Identifier: Apache-2.0
#include "gpu/jit_cache.h"

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

// A number of a header at this place in an ELF. The caller has checked that it is inside.
template <typename Number>
Number number_at(const Bytes& elf, std::size_t place) {
  Number number = 0;
  std::memcpy(&number, elf.data() + place, sizeof number);
  return number;
}

constexpr std::array<std::uint8_t, 5> magic = {0x7f, 'E', 'L', 'F', 2};  // of 64 bits
constexpr std::size_t header_bytes = 64;

// Where a table of headers ends, whose start, entry size and length are at these places of the ELF header.
std::uint64_t end_of_table(const Bytes& elf, std::size_t start, std::size_t entry, std::size_t count) {
  return number_at<std::uint64_t>(elf, start) +
         std::uint64_t{number_at<std::uint16_t>(elf, entry)} * number_at<std::uint16_t>(elf, count);
}

// How long an ELF is, by its header and those of its sections; 0 if these are not inside.
std::uint64_t size_of(const Bytes& elf) {
  constexpr std::size_t section_headers = 40, section_entry = 58, section_count = 60;
  constexpr std::size_t program_headers = 32, program_entry = 54, program_count = 56;
  constexpr std::uint32_t without_contents = 8;  // SHT_NOBITS
  if (elf.size() < header_bytes) return 0;
  auto end = std::max(end_of_table(elf, section_headers, section_entry, section_count),
                      end_of_table(elf, program_headers, program_entry, program_count));
  const auto entry = number_at<std::uint16_t>(elf, section_entry);
  const auto start = number_at<std::uint64_t>(elf, section_headers);
  if (start > elf.size() || end > elf.size() || entry < header_bytes) return 0;
  for (std::size_t i = 0; i < number_at<std::uint16_t>(elf, section_count); ++i) {
    const auto header = start + i * entry;
    if (number_at<std::uint32_t>(elf, header + 4) == without_contents) continue;
    end = std::max(end, number_at<std::uint64_t>(elf, header + 24) + number_at<std::uint64_t>(elf, header + 32));
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
