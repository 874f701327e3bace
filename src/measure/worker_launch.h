#pragma once

#include <functional>
#include <optional>

#include "gpu/kernel_memory.h"
#include "measure/worker_protocol.h"

namespace ptxlat::worker {

using Send = std::function<void(const Bytes& frame)>;

// Runs the kernels of a request in their order on the current context and sends `loaded` and then an outcome a kernel.
// `kernel_memory` is made for the first kernel that uses it and kept from request to request. False if a kernel's fault
// has poisoned the process, which must end.
bool run_kernels(const CudaApi& api, const CudaStream& stream, std::optional<KernelMemory>& kernel_memory,
                 const LaunchRequest& request, const Send& send);

}  // namespace ptxlat::worker
