// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "cuda/functions.h"
#include "latency/plan.h"

namespace ptxlat::bundle {

// Texts by name: "ptx_templates/isa/integer.toml". Texts that belong to one toolchain are also here, under its name.
using Files = std::map<std::string, std::string>;

// The catalogue files (*.toml) and skeletons (*.ptx) in a folder, each under `name`/. Error{catalogue} if one cannot be
// read.
void add_folder(Files& files, const std::string& name, const std::filesystem::path& folder);

// Writes those under `name`/ into a folder that has none of them. Error{storage} if writing fails.
void write_folder(const Files& files, const std::string& name, const std::filesystem::path& folder);

// As a section of a bundle.
Bytes encode_files(const Files& files);
// Error{storage} if encode_files did not make it: if a name is not one below a folder, or is there twice, or if a file
// stands where another name needs a folder.
Files decode_files(const Bytes& section);

// A row whose machine code is in the bundle, at each of its levels; the fields as in CellPlan and Variant. CUDA C
// functions have no recipe: it depends on the toolchain.
struct BundledCell {
  std::string ptx, operand, input, recipe;
  bool operator==(const BundledCell&) const = default;
};

// The rows of the cells of one level.
std::vector<BundledCell> bundled_cells(const std::vector<latency::CellPlan>& cells);

// As a section of a bundle.
Bytes encode_cells(const std::vector<BundledCell>& cells);
// Error{storage} if encode_cells did not make it.
std::vector<BundledCell> decode_cells(const Bytes& section);

// CUDA C functions are among a bundle's files, as compiled by the NVRTC of each toolchain.
void add_functions(Files& files, const std::string& toolchain, const cuda::CudaFunctions& functions);

// Those of a toolchain; none if the bundle has none. Error{storage} if add_functions did not write them.
cuda::CudaFunctions functions_in(const Files& files, const std::string& toolchain);

}  // namespace ptxlat::bundle
