// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bundle/bytes.h"
#include "bundle/cells.h"
#include "bundle/code.h"
#include "bundle/container.h"
#include "bundle/manifest.h"

namespace ptxlat::bundle {

// A complete bundle: the answers of assemblers and a disassembler on a different machine.
struct Bundle {
  std::filesystem::path path;
  std::uint32_t checksum = 0;  // CRC-32 of the file
  std::uint64_t size = 0;      // bytes
  Manifest manifest;
  Files files;
  std::vector<BundledCell> cells;
  KnownWords words;
  std::vector<Section> code;                                              // one section per chunk
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> kernels;  // text_hash → indices into `code`
};

// Reads a bundle except for its machine code. Error{storage} with what to do if it cannot be read, is not a bundle, is
// truncated or altered, has a newer format, or was made by a ptxlat with a different method.
Bundle open_bundle(const std::filesystem::path& file);

// The toolchains of a bundle, for pick_toolchains.
std::vector<assemble::Toolchain> toolchains_of(const Bundle& bundle);

// The recorded answers of a toolchain's assembler, by its index in the manifest; for one thread. Its assemble() throws
// an Error{storage} if the bundle does not have the answer.
std::unique_ptr<line::KernelAssembler> make_recorded_assembler(const Bundle& bundle, std::size_t toolchain);

// The words in the bundle. Its disassemble() throws an Error{storage} for any other word.
std::unique_ptr<sass::Disassembler> make_recorded_disassembler(const Bundle& bundle);

}  // namespace ptxlat::bundle
