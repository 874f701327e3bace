// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "line/kernel_assembler.h"

namespace ptxlat::bundle {

// A toolchain's answer for a kernel at a level.
//   cubin      index into ConfigurationCode::cubins, where the kernel's name is symbol_of(its hash); empty if it was
//   rejected rejection  index into ConfigurationCode::rejections otherwise
struct Answer {
  std::optional<std::uint32_t> cubin;
  std::uint32_t rejection = 0;
};

// The answers of one configuration, a toolchain at a level, about the kernels of a chunk.
//   rejections  the assembler's messages, with {{name}} for the kernel's name
//   answers     by text_hash of the kernel
//   failed      those that the assembler failed at, rather than rejected them: known while they are recorded, so that
//               `assemble` can say so, and not stored: what is in a bundle is final
struct ConfigurationCode {
  std::vector<Bytes> cubins;
  std::vector<std::string> rejections;
  std::map<std::uint64_t, Answer> answers;
  std::set<std::uint64_t> failed = {};
};

// A kernel's name in the cubins of a bundle.
std::string symbol_of(std::uint64_t text_hash);

// An assembler's message without the kernel's name.
std::string without_name(std::string words, const std::string& name);

// The answers for these kernels in the form that the line needs. Each must be in one of the configurations; the first
// one counts.
assemble::BatchOutcome outcome_from(const std::vector<const ConfigurationCode*>& configurations,
                                    const std::vector<line::NamedKernel>& kernels);

// A chunk's answers as a section of a bundle: all configurations in one frame, because most kernels become nearly the
// same machine code in several of them.
Bytes encode_code(const std::vector<ConfigurationCode>& configurations);
// The hashes of its kernels, without reading the frame.
std::vector<std::uint64_t> kernels_in_code(const Bytes& section);
// One of its configurations. Error{storage} if encode_code did not make it.
ConfigurationCode decode_configuration(const Bytes& section, std::size_t configuration);

}  // namespace ptxlat::bundle
