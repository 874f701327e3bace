#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "line/kernel_assembler.h"

namespace ptxlat::bundle {

// What a toolchain made of a kernel at a level.
//   cubin    index into ColumnCode::cubins, where the kernel is called symbol_of(its hash); empty if it was refused
//   refusal  index into ColumnCode::refusals otherwise
struct Answer {
  std::optional<std::uint32_t> cubin;
  std::uint32_t refusal = 0;
};

// The answers of one column, a toolchain at a level, about the kernels of a chunk.
//   refusals  the assembler's words, in which {{name}} stands for the kernel's name
//   answers   by text_hash of the kernel
struct ColumnCode {
  std::vector<Bytes> cubins;
  std::vector<std::string> refusals;
  std::map<std::uint64_t, Answer> answers;
};

// What a kernel is called in the cubins of a bundle.
std::string symbol_of(std::uint64_t text_hash);

// An assembler's words with the kernel's name left out.
std::string without_name(std::string words, const std::string& name);

// The answers about these kernels as the line wants them. Each must be in one of the columns, the first of which
// counts.
assemble::BatchOutcome outcome_from(const std::vector<const ColumnCode*>& columns,
                                    const std::vector<line::NamedKernel>& kernels);

// A chunk's answers as a section of a bundle: all columns in one frame, because most kernels become nearly the same
// machine code in several of them.
Bytes encode_code(const std::vector<ColumnCode>& columns);
// The hashes of its kernels, without looking into the frame.
std::vector<std::uint64_t> kernels_in_code(const Bytes& section);
// One of its columns. Error{storage} for what encode_code did not make.
ColumnCode decode_column(const Bytes& section, std::size_t column);

}  // namespace ptxlat::bundle
