#pragma once

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "gpu/buffers.h"
#include "gpu/kernel_memory.h"
#include "worker/protocol.h"

namespace ptxlat::worker {

using Send = std::function<void(const Bytes& frame)>;

// What stays from one batch to the next, if its launches keep their buffers: module and buffers need not be made anew
// for each question of an experiment that asks thousands.
struct Kept {
  Bytes cubin;
  std::optional<gpu::CudaModule> module;
  std::string kernel;                     // whose buffers are kept; empty: nobody's
  std::vector<kernel::Buffer> described;  // of buffers that are kept
  std::list<gpu::FilledBuffer> buffers;   // a list, because a FilledBuffer cannot be moved
  void clear_buffers() {
    buffers.clear();
    described.clear();
    kernel.clear();
  }
  void clear() {
    clear_buffers();
    module.reset();
    cubin.clear();
  }
};

// Runs the kernels of a batch in their order on the current context and sends `loaded` and then an outcome a kernel.
// `kernel_memory` is made for the first kernel that uses it and kept from batch to batch. False if a kernel's fault has
// poisoned the process, which must end.
bool run_kernels(const gpu::CudaApi& api, const gpu::CudaStream& stream,
                 std::optional<gpu::KernelMemory>& kernel_memory, Kept& kept, const LaunchBatch& batch,
                 const Send& send);

}  // namespace ptxlat::worker
