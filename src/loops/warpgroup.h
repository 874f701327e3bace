// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "line/line.h"
#include "loops/chain_loop.h"
#include "loops/measured_codes.h"
#include "ptx/skeleton.h"
#include "results/record.h"

namespace ptxlat::loops {

// Throughput of what four warps do together (wgmma): a program adds to one accumulator in a loop, and so does this.
// The tensor cores overlap one instruction with the next in spite of the dependence.

// The accumulator's dependence; nullopt if the form is not for a warpgroup, or has none.
std::optional<isa::Variant> accumulating_variant(const ptx::LoadedCatalogue& loaded, const isa::Form& form);

// Of the loops' CTA: as many warpgroups as have registers for their accumulators, at most four.
int threads_of_warpgroups(const isa::Form& form);

// Puts what the loops show into the record: machine code, verdict and, with a GPU, the curve over warps.
void measure_warpgroups(line::Bench& bench, const isa::Form& form, const ChainLoops& loops, MeasuredCodes& measured,
                        results::Record& record);

}  // namespace ptxlat::loops
