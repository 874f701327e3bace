// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/catalogue.h"
#include "line/line.h"
#include "loops/copy_loops.h"
#include "loops/measured_codes.h"
#include "results/record.h"

namespace ptxlat::loops {

// What every SM does at once, in results per cycle of the whole GPU. A store, an atomic, or a load that passes by the
// first-level cache takes a time that depends on its line and its SM, so that one SM has no rate on which launches
// agree. All SMs together have one for each results::AccessPattern, with the range of its launches.

// One record for each pattern, with the code, windows and key of `own`, which measure_copies has filled; none if the
// loops' addresses are not in scratch memory. Requires a GPU.
//   turns  as for measure_copies
std::vector<results::Record> measure_on_every_sm(line::Bench& bench, const isa::Catalogue& catalogue,
                                                 const isa::Variant& variant, const CopyLoops& loops,
                                                 const Copies& copies, const std::vector<std::size_t>& turns,
                                                 MeasuredCodes& measured, const results::Record& own);

}  // namespace ptxlat::loops
