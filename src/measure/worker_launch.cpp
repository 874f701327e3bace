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

// The memory that the kernels of a request share, each for as long as it runs.
struct Memory {
  Memory(const CudaApi& api, const Bytes& inputs, std::size_t output_bytes)
      : input(api, std::max<std::size_t>(inputs.size(), 1)), output(api, output_bytes), host(api, output_bytes) {
    PTXLAT_CUDA(api, cuMemcpyHtoD, input.address(), inputs.data(), inputs.size());
  }
  DeviceBuffer input;
  DeviceBuffer output;
  PinnedBuffer host;
};

LaunchOutcome failed(const CudaError& error) {
  // 702 is the driver's own watchdog, on a GPU that also drives a display.
  return {
      error.result == CUDA_ERROR_LAUNCH_TIMEOUT ? LaunchStatus::timeout : LaunchStatus::fault, error.driver_words, {}};
}

// Throws what synchronising throws; whatever else fails concerns this kernel alone and is its outcome.
LaunchOutcome run_kernel(const CudaApi& api, const CudaStream& stream, const CudaModule& module, const Memory& memory,
                         const LaunchRequest::Kernel& kernel, std::uint32_t launches) {
  const std::size_t launch_bytes = std::size_t{kernel.lanes} * slot_bytes;
  LaunchOutcome outcome;
  try {
    const CUfunction function = module.function(kernel.name);
    PTXLAT_CUDA(api, cuMemsetD8Async, memory.output.address(), static_cast<unsigned char>(0), launches * launch_bytes,
                stream.get());
    for (std::uint32_t launch = 0; launch < launches; ++launch) {
      CUdeviceptr out = memory.output.address() + launch * launch_bytes;
      CUdeviceptr in = memory.input.address() + kernel.input_offset;
      void* parameters[] = {&out, &in};
      PTXLAT_CUDA(api, cuLaunchKernel, function, 1u, 1u, 1u, kernel.lanes, 1u, 1u, 0u, stream.get(), parameters,
                  nullptr);
    }
    PTXLAT_CUDA(api, cuMemcpyDtoHAsync, memory.host.data(), memory.output.address(), launches * launch_bytes,
                stream.get());
  } catch (const CudaError& error) {
    outcome = failed(error);
  }
  PTXLAT_CUDA(api, cuStreamSynchronize, stream.get());
  if (outcome.status != LaunchStatus::ok) return outcome;

  const auto* slots = reinterpret_cast<const OutputSlot*>(memory.host.data());
  for (std::uint32_t launch = 0; launch < launches; ++launch, slots += kernel.lanes) {
    if (is_untouched(slots[0])) return {LaunchStatus::fault, "the kernel ended without writing its clocks", {}};
    outcome.samples.push_back(sample_of(slots, kernel.lanes));
  }
  return outcome;
}

}  // namespace

bool run_kernels(const CudaApi& api, const CudaStream& stream, const LaunchRequest& request, const Send& send) {
  std::uint32_t most_lanes = 1;
  for (const LaunchRequest::Kernel& kernel : request.kernels) most_lanes = std::max(most_lanes, kernel.lanes);
  const Memory memory(api, request.inputs, std::size_t{request.launches} * most_lanes * slot_bytes);

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
    try {
      send(encode_outcome(run_kernel(api, stream, *module, memory, kernel, request.launches), false));
    } catch (const CudaError& error) {
      send(encode_outcome(failed(error), true));
      return false;
    }
  }
  return true;
}

}  // namespace ptxlat::worker
