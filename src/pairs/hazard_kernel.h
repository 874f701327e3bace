// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/form.h"
#include "ptx/kernel.h"
#include "ptx/readout.h"
#include "ptx/skeleton.h"

namespace ptxlat::pairs {

// An instruction and its consumer between two clocks, with places for other machine code (pairs/hazard_patch.h).
// Every pass reads operands of its own and stores what came of them in slots of its own: what a register holds from the
// pass before is a wrong value in this one. The launch has one warp for the passes, and further ones, which end at
// once, for their slots.
ptx::Trial hazard_trial(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer& consumer);

// How many lanes of the passes of all launches count. The first pass does not: it finds a cold instruction cache, which
// delays the consumer.
int lanes_that_count(const ptx::Readout& readout);

// How many of them stored other values than those of `right`.
int wrong_lanes(const ptx::Readout& readout, const ptx::Readout& right);

// Cycles between the clocks of the last pass, the median of the launches.
double elapsed_of_hazard(const ptx::Readout& readout);

// Why the variant has no such kernel; empty if it has.
std::string why_no_hazard(const isa::Variant& variant);

}  // namespace ptxlat::pairs
