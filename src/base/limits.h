// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How much of a stranger's file is read. All are far above what ptxlat writes: the rows of the largest table
// are 172 MB, and nothing in a bundle is longer than a chunk's machine code.
namespace ptxlat {

// Bytes of a file that is read as a whole.
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 30;

// Bytes that a compressed text of this size may become. Tables become a fiftieth, machine code a hundred-and-fortieth;
// a text made to fill a memory becomes a thousandth (gzip) to a thirty-thousandth (Zstandard).
constexpr std::uint64_t most_unpacked_bytes(std::uint64_t packed_bytes) {
  constexpr std::uint64_t small = std::uint64_t{64} << 20, ratio = 500, most = std::uint64_t{2} << 30;
  return packed_bytes > (most - small) / ratio ? most : small + ratio * packed_bytes;
}

// Brackets within brackets of JSON. A table has five.
inline constexpr int most_json_depth = 64;

}  // namespace ptxlat
