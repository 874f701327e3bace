// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How much of an untrusted file is read. All limits are far above anything that ptxlat writes: the rows of the largest
// table are 172 MB, and nothing in a bundle is longer than a chunk's machine code.
namespace ptxlat {

// Bytes of a file that is read as a whole.
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 30;

// How many bytes a compressed text of this size may expand to. Tables compress to a fiftieth and machine code to 1/140;
// a text made to exhaust memory compresses to a thousandth (gzip) or a thirty-thousandth (Zstandard).
constexpr std::uint64_t most_unpacked_bytes(std::uint64_t packed_bytes) {
  constexpr std::uint64_t small = std::uint64_t{64} << 20, ratio = 500, most = std::uint64_t{2} << 30;
  return packed_bytes > (most - small) / ratio ? most : small + ratio * packed_bytes;
}

// Nesting depth of JSON. A table has five levels.
inline constexpr int most_json_depth = 64;

}  // namespace ptxlat
