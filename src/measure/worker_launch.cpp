#include "measure/worker_launch.h"

#include <algorithm>

namespace ptxlat::worker {
namespace {

struct OutputSlot {
  std::uint32_t first_clock;
  std::uint32_t second_clock;
  std::uint32_t sm_id;
  std::uint32_t unused;
  std::uint64_t result[2];
  std::uint8_t rest[32];
};
static_assert(sizeof(OutputSlot) == slot_bytes);

// Slots are zero before a launch, and two reads of a clock never give the same value.
bool is_untouched(const OutputSlot& slot) { return slot.first_clock == 0 && slot.second_clock == 0; }

Sample sample_of(const OutputSlot* slots, std::uint32_t lanes) {
  Sample sample;
  sample.elapsed_cycles = slots[0].second_clock - slots[0].first_clock;
  sample.sm_id = slots[0].sm_id;
  sample.result = slots[0].result[0];
  sample.lanes_agree = std::all_of(slots, slots + lanes, [&](const OutputSlot& slot) {
    return slot.first_clock == slots[0].first_clock && slot.second_clock == slots[0].second_clock;
  });
  return sample;
}

// What the kernels of a request share: the slots, each kernel's for as long as it runs, and the rest of memory.
struct Memory {
  Memory(const CudaApi& api, const Bytes& inputs, std::size_t output_bytes, const KernelMemory* kernel_memory)
      : input(api, std::max<std::size_t>(inputs.size(), 1)),
        output(api, output_bytes),
        host(api, output_bytes),
        kernels(kernel_memory) {
    PTXLAT_CUDA(api, cuMemcpyHtoD, input.address(), inputs.data(), inputs.size());
  }
  DeviceBuffer input;
  DeviceBuffer output;
  PinnedBuffer host;
  const KernelMemory* kernels;  // null if no kernel of the request uses it
};

LaunchOutcome failed(const CudaError& error) {
  // 702 is the driver's own watchdog, on a GPU that also drives a display.
  return {
      error.result == CUDA_ERROR_LAUNCH_TIMEOUT ? LaunchStatus::timeout : LaunchStatus::fault, error.driver_words, {}};
}

// A handle that is zero, because the driver refused its object, makes a kernel fault or leave.
void name_refused_objects(LaunchOutcome& outcome, const LaunchRequest::Kernel& kernel, const Memory& memory) {
  if (outcome.status == LaunchStatus::ok || !kernel.uses_memory) return;
  const std::string refused = memory.kernels->refused_objects();
  if (!refused.empty()) outcome.message += "; the driver did not make " + refused;
}

// Puts the launches of a kernel into the stream.
void enqueue(const CudaApi& api, const CudaStream& stream, const CudaModule& module, const Memory& memory,
             const LaunchRequest::Kernel& kernel, std::uint32_t launches) {
  const std::size_t launch_bytes = kernel.slots() * slot_bytes;
  const CUfunction function = module.function(kernel.name);
  // Without it, 48 KiB are the most that a launch can ask for.
  if (kernel.dynamic_shared > 0)
    PTXLAT_CUDA(api, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                static_cast<int>(kernel.dynamic_shared));
  PTXLAT_CUDA(api, cuMemsetD8Async, memory.output.address(), static_cast<unsigned char>(0), launches * launch_bytes,
              stream.get());
  if (kernel.uses_memory) memory.kernels->restore(stream);

  CUdeviceptr in = memory.input.address() + kernel.input_offset;
  alignas(16) static unsigned char parameters[parameter_bytes] = {};
  for (std::uint32_t launch = 0; launch < launches; ++launch) {
    CUdeviceptr kernel_memory = kernel.uses_memory ? memory.kernels->address(launch) : 0;
    CUdeviceptr out = memory.output.address() + launch * launch_bytes;
    // The driver knows from the cubin how many of them the kernel takes.
    void* arguments[] = {&out, &in, &kernel_memory, parameters};
    PTXLAT_CUDA(api, cuLaunchKernel, function, kernel.cluster, 1u, 1u, kernel.lanes, 1u, 1u, kernel.dynamic_shared,
                stream.get(), arguments, nullptr);
  }
  PTXLAT_CUDA(api, cuMemcpyDtoHAsync, memory.host.data(), memory.output.address(), launches * launch_bytes,
              stream.get());
}

// Throws what synchronising throws; whatever else fails concerns this kernel alone and is its outcome.
LaunchOutcome run_kernel(const CudaApi& api, const CudaStream& stream, const CudaModule& module, const Memory& memory,
                         const LaunchRequest::Kernel& kernel, std::uint32_t launches) {
  LaunchOutcome outcome;
  try {
    enqueue(api, stream, module, memory, kernel, launches);
  } catch (const CudaError& error) {
    outcome = failed(error);
  }
  PTXLAT_CUDA(api, cuStreamSynchronize, stream.get());
  if (outcome.status != LaunchStatus::ok) return outcome;

  const auto* slots = reinterpret_cast<const OutputSlot*>(memory.host.data());
  for (std::uint32_t launch = 0; launch < launches; ++launch, slots += kernel.slots()) {
    if (is_untouched(slots[0])) return {LaunchStatus::fault, "the kernel ended without writing its clocks", {}};
    outcome.samples.push_back(sample_of(slots, kernel.lanes));
  }
  return outcome;
}

}  // namespace

bool run_kernels(const CudaApi& api, const CudaStream& stream, std::optional<KernelMemory>& kernel_memory,
                 const LaunchRequest& request, const Send& send) {
  std::size_t most_slots = 1;
  bool use_memory = false;
  for (const LaunchRequest::Kernel& kernel : request.kernels) {
    most_slots = std::max(most_slots, kernel.slots());
    use_memory = use_memory || kernel.uses_memory;
  }
  if (use_memory && !kernel_memory) kernel_memory.emplace(api);
  const Memory memory(api, request.inputs, memory_launches * request.launches * most_slots * slot_bytes,
                      use_memory ? &*kernel_memory : nullptr);

  std::optional<CudaModule> module;
  LaunchOutcome not_loaded;
  try {
    module.emplace(api, request.cubin.data());
  } catch (const CudaError& error) {
    not_loaded = failed(error);
  }
  send(Writer(Kind::loaded).frame());

  for (const LaunchRequest::Kernel& kernel : request.kernels) {
    if (!module) {
      send(encode_outcome(not_loaded, false));
      continue;
    }
    LaunchOutcome outcome;
    bool process_ends = false;
    try {
      const auto launches = kernel.uses_memory ? memory_launches * request.launches : request.launches;
      outcome = run_kernel(api, stream, *module, memory, kernel, launches);
    } catch (const CudaError& error) {
      outcome = failed(error);
      process_ends = true;
    }
    name_refused_objects(outcome, kernel, memory);
    send(encode_outcome(outcome, process_ends));
    if (process_ends) return false;
  }
  return true;
}

}  // namespace ptxlat::worker
