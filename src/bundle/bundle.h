#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bundle/cells.h"
#include "bundle/code.h"
#include "bundle/container.h"
#include "bundle/files.h"
#include "bundle/manifest.h"
#include "bundle/words.h"

namespace ptxlat::bundle {

// A bundle that was read and found whole: what assemblers and a disassembler answered on another machine.
struct Bundle {
  std::filesystem::path path;
  std::uint32_t checksum = 0;  // CRC-32 of the file
  std::uint64_t size = 0;      // bytes
  Manifest manifest;
  Files files;
  std::vector<BundledCell> cells;
  KnownWords words;
  std::vector<Section> code;                                              // a section a chunk
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> kernels;  // text_hash → indices into `code`
};

// Reads a bundle but for its machine code. Error{storage} with what to do where it cannot be read, is none, is cut
// short or altered, has a newer format, or was made by a ptxlat with another method.
Bundle open_bundle(const std::filesystem::path& file);

// The toolchains of a bundle, for pick_toolchains.
std::vector<assemble::Toolchain> toolchains_of(const Bundle& bundle);

// What the assembler of a toolchain, by its index in the manifest, answered; for one thread. Its assemble() throws an
// Error{storage} where the bundle does not have the answer.
std::unique_ptr<line::KernelAssembler> make_recorded_assembler(const Bundle& bundle, std::size_t toolchain);

// The words that the bundle knows. Its disassemble() throws an Error{storage} where it is asked for another.
std::unique_ptr<sass::Disassembler> make_recorded_disassembler(const Bundle& bundle);

}  // namespace ptxlat::bundle
