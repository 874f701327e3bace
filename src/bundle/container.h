// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "assemble/assembler.h"

namespace ptxlat::bundle {

// The file of a bundle: a header and checksummed sections, the last of which says that it is complete. This file does
// not know the contents of the sections. docs/bundle-format.md describes every byte.
inline constexpr std::uint32_t bundle_format = 1;

// The remedy for a damaged file, for messages.
inline constexpr char again[] = "make it again with `ptxlat assemble`, or copy it again";

enum class SectionKind : std::uint32_t { end = 0, manifest = 1, files = 2, cells = 3, code = 4, words = 5 };

// A section with a correct checksum.
//   offset, size  of its payload in the file
//   checksum      CRC-32
struct Section {
  SectionKind kind = SectionKind::end;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The intact part of a file.
//   problem   why it ends there: "is truncated", "was altered", … with the place; empty for a complete bundle
//   end       of the last intact section
//   checksum  CRC-32 of all its bytes, only for a complete bundle
struct Contents {
  std::vector<Section> sections;
  std::string problem;
  std::uint64_t end = 0;
  std::uint32_t checksum = 0;
};

// Reads the whole file. Error{storage} if it cannot be read, is not a ptxlat bundle or has a newer format than ours:
// such a file is not touched.
Contents read_contents(const std::filesystem::path& file);

// The payload of a section. Error{storage} if it can no longer be read.
Bytes read_section(const std::filesystem::path& file, const Section& section);

// Writes a bundle section by section under a temporary name; it gets its final name when it is complete. Error{storage}
// if writing fails; the sections so far are kept.
class BundleWriter {
 public:
  // Error{storage} if another process is writing the same bundle, or if its name belongs to something that is not a
  // file.
  explicit BundleWriter(const std::filesystem::path& file);
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;  // owns a file descriptor
  BundleWriter& operator=(const BundleWriter&) = delete;

  // The remains of an interrupted writer, which can be read while this one has the file open; empty if there are none.
  std::filesystem::path leftover() const;
  // Keeps this many bytes of it; 0 starts again.
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
