// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "latency/cells.h"

namespace ptxlat::latency {

// A cell of one level, and the same cell of a higher level, which has already been made.
struct AlikeCell {
  const CellPlan* plan = nullptr;
  const CellWork* higher = nullptr;
};

// The records of cells of the bench's level. Above -O1 the assembler mostly makes the same machine code at every level
// (docs/performance.md), so only the first windows of each cell are assembled: its differential and the differential's
// base. If their kernels are identical, word for word, to those of the higher level, the record is that level's, and
// says so (Record::code_of_level). One such cell in sixteen, and at least one per call, is made in full and compared
// window by window: if one has different code, all of them are made in full.
//   higher  the batch that the higher level's kernels are in
std::vector<results::Record> make_alike(const ptx::LoadedCatalogue& loaded, line::Bench& bench,
                                        const line::Batch& higher, const std::vector<AlikeCell>& cells);

}  // namespace ptxlat::latency
