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

// Bytes of a call of CUDA C in a catalogue. The longest of ours has 70.
inline constexpr std::size_t most_call_bytes = 1000;

// Registers of an operand. wgmma has 128.
inline constexpr int most_registers_of_operand = 256;

// Rows of a csv file, and records of a table, each of which takes kilobytes however short its text is: a table of this
// many short rows takes 0.6 GB. The largest table has 261,084 cells.
inline constexpr std::size_t most_rows = 500'000;

// Bytes of a record in a store.
inline constexpr int most_record_bytes = 64 << 20;

// Fields of a row of a csv file, and bytes of all of them. The longest of ours has 28 KB.
inline constexpr std::size_t most_fields = 1000;
inline constexpr std::size_t most_row_bytes = 1 << 20;

// Toolchains of a bundle. The largest of ours has eight.
inline constexpr std::size_t most_toolchains = 1000;

// Address space of an assembler, a disassembler or a compiler, for each module that it has at a time. For the largest
// of ours ptxas 13.0 needs 280 MB, NVRTC 160 MB and nvdisasm 65 MB. A process that has started CUDA's driver is not
// bounded: that reserves terabytes.
inline constexpr std::uint64_t most_assembler_bytes = std::uint64_t{4} << 30;

// Bytes of a cubin, which is a few times as large as a chunk's 1.75 MB of PTX, and of the PTX of a program of CUDA C++.
inline constexpr std::uint64_t most_assembled_bytes = std::uint64_t{256} << 20;

// How many bytes a compressed text of this size may expand to. Tables compress to a fiftieth and machine code to 1/140;
// a text made to exhaust memory compresses to a thousandth (gzip) or a thirty-thousandth (Zstandard).
constexpr std::uint64_t most_unpacked_bytes(std::uint64_t packed_bytes, std::uint64_t most) {
  constexpr std::uint64_t small = std::uint64_t{64} << 20, ratio = 500;
  return packed_bytes > (most - small) / ratio ? most : small + ratio * packed_bytes;
}

// Whatever its size. The rows of the largest table are 174 MB (Zstandard), those of the largest csv 19 MB (gzip).
// Reading them takes two or three times as much again.
inline constexpr std::uint64_t most_zstd_bytes = std::uint64_t{512} << 20;
inline constexpr std::uint64_t most_gzip_bytes = std::uint64_t{256} << 20;
// A section of a bundle has a chunk's cubins of all toolchains and levels.
inline constexpr std::uint64_t most_section_bytes = std::uint64_t{1} << 30;

// Nesting depth of JSON. A table has five levels.
inline constexpr int most_json_depth = 64;

}  // namespace ptxlat
