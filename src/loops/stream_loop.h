// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "latency/cells.h"
#include "line/line.h"
#include "loops/loop.h"
#include "loops/measured_codes.h"
#include "results/record.h"

namespace ptxlat::loops {

// Throughput of an instruction whose machine code cannot be copied: it branches, is too long, or ptxas makes different
// code of it beside a loop. It is repeated in a loop of PTX, as numbers of the bench's trials (latency/experiment.h).
struct StreamLoopTrials {
  latency::Experiment differential;
  latency::TrialNumbers of_differential;
  int copies = 0;  // in the shorter loop; 0 if it cannot be repeated
  std::size_t shorter = 0, longer = 0;
  std::optional<std::size_t> fed_twice;
};

// All kernels that these are, for a recipe.
std::vector<ptx::Trial> stream_loop_trials(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant);

// How many threads a CTA has, and how many copies the shorter loop.
struct StreamLoopShape {
  int threads = 0, copies = 0;
};
// Those to try, best first. Many warps keep an SM busy to the end, when some of them are done, but each has few
// registers then; and ptxas may schedule a few long copies more alike than many.
//   instructions  that the code has; 0 if it is not known. The longer loop should fit the innermost instruction cache
std::vector<StreamLoopShape> shapes_to_try(const isa::Form& form, int instructions);

// Adds them to the bench's batch.
StreamLoopTrials add_stream_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                                  const StreamLoopShape& shape, const std::string& label);

// Whether a copy has all opcodes of the instruction alone that nothing else can stand in for.
bool has_irreplaceable(const std::vector<std::string>& copy, const std::vector<std::string>& alone);

// The SM time of one more copy in each warp.
//   copies     in the shorter loop
//   fed_back   instructions of a copy that feed it back
//   fed_twice  times of the loop that does that twice; null if there is none
TimeOfCopy time_of_stream_copy(int copies, const std::vector<int>& warps, const LoopTimes& times, int fed_back,
                               const LoopTime* fed_twice);

// Audits them once they are assembled, times them with several numbers of warps, and puts machine code, verdict and
// curve into the record. If the copies are not proven, or the code is too short for this, the record stays as it is.
// False if a different shape might be proven.
//   of_stream  the code that a stream proved; empty if none did. What has no result has no differential to prove it
bool measure_stream_loops(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                          const StreamLoopTrials& loops, const std::vector<std::string>& of_stream,
                          MeasuredCodes& measured, results::Record& record);

}  // namespace ptxlat::loops
