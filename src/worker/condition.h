// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "nvml/condition.h"
#include "worker/worker.h"

namespace ptxlat::worker {

// NVML's report about the GPU with this UUID, asked in a separate process that does not open the driver: so it is
// not among the processes that NVML lists, and a crash or a hang only costs the answer, which is then a `problem`. Only
// throws what starting a process throws.
nvml::Condition condition_of(const WorkerOptions& options, const std::string& uuid);

}  // namespace ptxlat::worker
