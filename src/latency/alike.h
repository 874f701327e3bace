#pragma once

#include <vector>

#include "latency/cells.h"

namespace ptxlat::latency {

// A cell of a level, and the same of a higher level, which is made.
struct AlikeCell {
  const CellPlan* plan = nullptr;
  const CellWork* higher = nullptr;
};

// The records of cells of the bench's level. Above -O1 the assembler mostly makes the same machine code at every level
// (docs/performance.md), so that of each cell only the first windows are assembled, its differential and the base of
// that. Where their kernels are, word for word, those of the higher level, the record is that level's, and says so
// (Record::code_of_level). One such cell in sixteen, and one of each call at least, is made in full and compared window
// by window: if one has other code, all of them are made in full.
//   higher  the batch that the higher level's kernels are in
std::vector<results::Record> make_alike(const ptx::LoadedCatalogue& loaded, line::Bench& bench,
                                        const line::Batch& higher, const std::vector<AlikeCell>& cells);

}  // namespace ptxlat::latency
