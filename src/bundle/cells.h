#pragma once

#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "latency/plan.h"

namespace ptxlat::bundle {

// A row that a bundle holds the machine code for, at each of its levels; the words as in CellPlan and Variant.
// Functions of CUDA C have no recipe: each toolchain has its own.
struct BundledCell {
  std::string ptx, operand, input, recipe;
  bool operator==(const BundledCell&) const = default;
};

// The rows of the cells of one level.
std::vector<BundledCell> bundled_cells(const std::vector<latency::CellPlan>& cells);

// As a section of a bundle.
Bytes encode_cells(const std::vector<BundledCell>& cells);
// Error{storage} for what encode_cells did not make.
std::vector<BundledCell> decode_cells(const Bytes& section);

}  // namespace ptxlat::bundle
