// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle.h"

#include <zlib.h>

#include <cstring>

#include "fuzz.h"

namespace ptxlat::fuzz {

namespace {

std::uint32_t crc(std::uint32_t start, const char* data, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(start, reinterpret_cast<const Bytef*>(data), size));
}

void put(std::string& bytes, std::size_t at, std::uint32_t value) { std::memcpy(bytes.data() + at, &value, 4); }

// The checksums as a writer would make them: otherwise hardly any mutated bundle passes them. The header has 16 bytes,
// the last four of which are its checksum; a section is kind, checksum, size (8 bytes) and the payload.
std::string with_checksums(std::string bytes) {
  if (bytes.size() < 16) return bytes;
  put(bytes, 12, crc(0, bytes.data(), 12));
  for (std::size_t at = 16; bytes.size() - at >= 16;) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at + 8, sizeof size);
    if (size > bytes.size() - at - 16) break;
    auto sum = crc(crc(0, bytes.data() + at, 4), bytes.data() + at + 8, 8);
    if (size > 0) sum = crc(sum, bytes.data() + at + 16, size);
    put(bytes, at + 4, sum);
    at += 16 + size;
  }
  return bytes;
}

}  // namespace

void bundle(std::string_view input) {
  const auto file = scratch_file("fuzz.bundle", with_checksums(std::string(input)));
  const auto opened = bundle::open_bundle(file);
  bundle::toolchains_of(opened);
  const auto configurations = opened.manifest.levels.size() * opened.manifest.toolchains.size();
  for (const auto& section : opened.code) {
    for (std::size_t configuration = 0; configuration < std::min<std::size_t>(configurations, 3); ++configuration)
      bundle::decode_configuration(bundle::read_section(file, section), configuration);
  }
  const auto folder = scratch_folder() / "unpacked";
  for (const char* name : {"ptx_templates", "templates", "catalogue"}) bundle::write_folder(opened.files, name, folder);
}

}  // namespace ptxlat::fuzz
