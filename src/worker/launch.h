// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/buffers.h"
#include "gpu/device.h"
#include "worker/protocol.h"

namespace ptxlat::worker {

using Send = std::function<void(const Bytes& frame)>;

// Input and output slots, on the device and on the host.
struct SlotMemory {
  SlotMemory(const gpu::CudaApi& api, std::size_t in_bytes, std::size_t out_bytes)
      : input_bytes(in_bytes),
        output_bytes(out_bytes),
        input(api, in_bytes),
        output(api, out_bytes),
        host(api, out_bytes) {}
  std::size_t input_bytes, output_bytes;
  gpu::DeviceBuffer input, output;
  gpu::PinnedBuffer host;
};

// Kept from one batch to the next: buffers if the launches keep them, so that an experiment with thousands of questions
// does not fill them for each, and modules if the batch keeps them. Slots are kept in any case, unless they are large,
// so that a launch of patched code does not allocate and free pinned memory.
//   modules  newest first
struct Kept {
  struct Module {
    Module(const gpu::CudaApi& api, const Bytes& loaded) : cubin(loaded), module(api, cubin.data()) {}
    Bytes cubin;
    gpu::CudaModule module;
  };
  std::list<Module> modules;
  std::string kernel;                    // whose buffers are kept; empty: none
  std::vector<ptx::Buffer> described;    // of buffers that are kept
  std::list<gpu::FilledBuffer> buffers;  // a list, because a FilledBuffer cannot be moved
  std::unique_ptr<SlotMemory> slots;
  void clear_buffers() {
    buffers.clear();
    described.clear();
    kernel.clear();
  }
  // The cubin's module. Throws what loading it throws.
  gpu::CudaModule& load(const gpu::CudaApi& api, const Bytes& cubin) {
    constexpr std::size_t most_modules = 2;
    const auto loaded =
        std::find_if(modules.begin(), modules.end(), [&](const Module& module) { return module.cubin == cubin; });
    if (loaded == modules.begin() && !modules.empty()) return loaded->module;
    clear_buffers();
    if (loaded != modules.end()) {
      modules.splice(modules.begin(), modules, loaded);
    } else {
      if (modules.size() == most_modules) modules.pop_back();
      modules.emplace_front(api, cubin);
    }
    return modules.front().module;
  }
  void clear() {
    clear_buffers();
    modules.clear();
    constexpr std::size_t most_kept = 32 << 20;  // a few launches on every SM
    if (slots && slots->input_bytes + slots->output_bytes > most_kept) slots.reset();
  }
};

// The driver and a context on one device.
struct OpenDevice {
  explicit OpenDevice(int index)
      : api(gpu::load_cuda_api()),
        device(gpu::open_device(api, index)),
        sm(gpu::device_sm(api, device)),
        sm_count(gpu::device_sm_count(api, device)),
        context(api, device),
        stream(api) {}
  gpu::CudaApi api;
  gpu::CUdevice device;
  int sm;
  int sm_count;
  gpu::CudaContext context;
  gpu::CudaStream stream;
  std::optional<gpu::KernelMemory> kernel_memory;
  std::optional<gpu::L2Filler> l2_filler;
  Kept kept;
};

// The batch with the number of SMs where it says ptx::every_sm.
LaunchBatch on_every_sm(LaunchBatch batch, int sm_count);

// Runs the kernels of a batch in order on the device's context and sends `loaded` and then an outcome per kernel. False
// if a kernel's fault has poisoned the process, which must then end.
bool run_kernels(OpenDevice& device, const LaunchBatch& batch, const Send& send);

}  // namespace ptxlat::worker
