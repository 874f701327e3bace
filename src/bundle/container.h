#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "assemble/assembler.h"

namespace ptxlat::bundle {

// The file of a bundle: a header and checksummed sections, the last of which says that it is whole. What is in the
// sections is not known here. docs/bundle-format.md has every byte.
inline constexpr std::uint32_t bundle_format = 1;

enum class SectionKind : std::uint32_t { end = 0, manifest = 1, files = 2, cells = 3, code = 4, words = 5 };

// A section whose checksum is right.
//   offset, size  of its payload in the file
//   checksum      CRC-32
struct Section {
  SectionKind kind = SectionKind::end;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// What a file holds as far as it is sound.
//   problem   what ends it: "is cut short", "was altered", … with the place; empty for a whole bundle
//   end       of the last sound section
//   checksum  CRC-32 of all its bytes, of a whole bundle only
struct Contents {
  std::vector<Section> sections;
  std::string problem;
  std::uint64_t end = 0;
  std::uint32_t checksum = 0;
};

// Reads the whole file. Error{storage} where it cannot be read, is no bundle or has a format that is newer than ours:
// such a file is not touched either.
Contents read_contents(const std::filesystem::path& file);

// The payload of a section. Error{storage} where it cannot be read any more.
Bytes read_section(const std::filesystem::path& file, const Section& section);

// Writes a bundle beside its final name, section by section; it gets that name when it is whole. Error{storage} for
// what the disk refuses, with the sections so far kept.
class BundleWriter {
 public:
  // Error{storage} where another process is writing the same bundle, and where something that is no file has its name.
  explicit BundleWriter(const std::filesystem::path& file);
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;  // owns a file descriptor
  BundleWriter& operator=(const BundleWriter&) = delete;

  // What an interrupted writer has left, which can be read while this one holds the file; empty if there is nothing.
  std::filesystem::path leftover() const;
  // Keeps so many bytes of that; 0 begins anew.
  void begin(std::uint64_t keep);
  void add(SectionKind kind, const Bytes& payload);
  // Writes the last section and renames the file.
  void finish();

 private:
  void write(const void* data, std::size_t size);

  std::filesystem::path file_, part_;
  int descriptor_ = -1;
};

}  // namespace ptxlat::bundle
