// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/worker.h"

namespace ptxlat::worker {

// Nsight Compute counts what a program launches that it has started itself, so this program is that, too: kernels and
// outcomes are files.

// `PROGRAM worker KERNELS OUTCOMES DEVICE`: launches each batch once. Returns the exit status.
int count_main(const std::filesystem::path& kernels, const std::filesystem::path& outcomes, int device);

// Runs these batches of one kernel below the offer's `ncu`. Outcomes of a prefix, with counts if all are ok: the last
// one is that of the kernel that ended the program. counters::Unavailable if `ncu` cannot count.
std::vector<CountOutcome> count_below_ncu(const counters::Offer& ncu, const WorkerOptions& options,
                                          const std::vector<LaunchBatch>& batches);

}  // namespace ptxlat::worker
