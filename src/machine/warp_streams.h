// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "latency/cells.h"
#include "line/line.h"
#include "results/record.h"

namespace ptxlat::machine {

// Throughput of an instruction whose machine code cannot be copied: it branches, is too long, or ptxas makes different
// code of it beside a loop. It is repeated in PTX as for latencies, but in a kernel whose warps begin together:
// streams, or, if their copies are not complete, chains, of which many warps also keep the SM busy. The longer one has
// n more copies in each warp, and takes n copies longer.
struct WarpStreams {
  latency::Experiment experiment;
  latency::TrialNumbers trials;
};

latency::Experiment expand_warp_streams(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                                        int most_copies);

// Adds them to the bench's batch.
WarpStreams add_warp_streams(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                             int most_copies, const std::string& label);

// Numbers of copies in the shorter of two, best first: ptxas may schedule a few long copies more alike than many.
inline constexpr std::array most_copies_to_try = {4, 2, 1};

// Audits them once they are assembled, times them with several numbers of warps, and puts machine code, verdict and
// curve into the record. If neither streams nor chains are proven, or the code is too short for this, the record stays
// as it is. False if fewer copies might be proven.
bool measure_warp_streams(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                          const WarpStreams& streams, results::Record& record);

}  // namespace ptxlat::machine
