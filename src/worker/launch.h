#pragma once

#include <functional>
#include <optional>

#include "gpu/kernel_memory.h"
#include "worker/protocol.h"

namespace ptxlat::worker {

using Send = std::function<void(const Bytes& frame)>;

// Runs the kernels of a batch in their order on the current context and sends `loaded` and then an outcome a kernel.
// `kernel_memory` is made for the first kernel that uses it and kept from batch to batch. False if a kernel's fault has
// poisoned the process, which must end.
bool run_kernels(const gpu::CudaApi& api, const gpu::CudaStream& stream,
                 std::optional<gpu::KernelMemory>& kernel_memory, const LaunchBatch& batch, const Send& send);

}  // namespace ptxlat::worker
