// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "latency/plan.h"

namespace ptxlat::bundle {

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

}  // namespace ptxlat::bundle
