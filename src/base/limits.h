// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// How much of an untrusted file is read. All limits are far above anything that ptxlat writes: the rows of the largest
// table are 172 MB, and nothing in a bundle is longer than a chunk's machine code.
namespace ptxlat {

// Bytes of a file that is read as a whole.
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 30;

// Bytes of a catalogue's, probe's or simulator's TOML, whose tree takes a hundred times as much memory. The largest of
// ours has 22 KB.
inline constexpr std::size_t most_toml_bytes = std::size_t{4} << 20;

// Letters, digits and underscores of a word in such TOML, or its spaces, one after another: std::regex, which takes its
// texts apart, needs a part of the stack for each.
inline constexpr std::size_t most_word_letters = 1000;

// Rows of a csv file, and records of a table, each of which takes kilobytes however short its text is: a table of this
// many short rows takes 0.6 GB. The largest table has 261,084 cells.
inline constexpr std::size_t most_rows = 500'000;

// Bytes of a record in a store.
inline constexpr int most_record_bytes = 64 << 20;

// Fields of a row of a csv file.
inline constexpr std::size_t most_fields = 1000;

// Toolchains of a bundle. The largest of ours has eight.
inline constexpr std::size_t most_toolchains = 1000;

// How many bytes a compressed text of this size may expand to. Tables compress to a fiftieth and machine code to 1/140;
// a text made to exhaust memory compresses to a thousandth (gzip) or a thirty-thousandth (Zstandard).
constexpr std::uint64_t most_unpacked_bytes(std::uint64_t packed_bytes) {
  constexpr std::uint64_t small = std::uint64_t{64} << 20, ratio = 500, most = std::uint64_t{2} << 30;
  return packed_bytes > (most - small) / ratio ? most : small + ratio * packed_bytes;
}

// Nesting depth of JSON. A table has five levels.
inline constexpr int most_json_depth = 64;

}  // namespace ptxlat
