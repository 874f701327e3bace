// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "nvml/condition.h"
#include "worker/worker.h"

namespace ptxlat::worker {

// What NVML says of the GPU of this UUID, asked in a process of its own that opens no driver: it is not among the
// processes that NVML lists, and a crash or a hang costs the answer alone, which is a `problem` then. Throws nothing
// else than what starting a process throws.
nvml::Condition condition_of(const WorkerOptions& options, const std::string& uuid);

}  // namespace ptxlat::worker
