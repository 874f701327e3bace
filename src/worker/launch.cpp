// SPDX-License-Identifier: Apache-2.0
#include "worker/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <stdexcept>

#include "gpu/buffers.h"

namespace ptxlat::worker {
namespace {

// Mistakes that the driver would not notice.
void require_sense(const ptx::Launch& launch) {
  if (launch.output_ctas > launch.ctas) throw std::invalid_argument("more CTAs are read than launched");
  if (launch.output_step < 1 || launch.threads % launch.output_step != 0)
    throw std::invalid_argument("a CTA does not have a multiple of the threads from one that is read to the next");
  for (const int word : launch.output_words) {
    if (word < 0 || word >= ptx::words_per_slot)
      throw std::invalid_argument(fmt::format("a slot has words 0 to {}", ptx::words_per_slot - 1));
  }
  if (launch.places > 0 && !launch.uses_memory)
    throw std::invalid_argument("only kernels that use memory can be put on an SM");
  if ((launch.uses_memory ? 2 : 0) + launch.buffers.size() + launch.parameters.size() >
      ptx::parameter_bytes / sizeof(std::uint64_t))
    throw std::invalid_argument(fmt::format("a launch has more parameters than {} bytes hold", ptx::parameter_bytes));
  if (launch.persisting_bytes > 0 && (launch.buffers.empty() || launch.persisting_bytes > launch.buffers.front().bytes))
    throw std::invalid_argument("more bytes are persisting than the first buffer has");
}

std::size_t slots_of(const ptx::Launch& launch) {
  return static_cast<std::size_t>(launch.threads) * static_cast<std::size_t>(launch.ctas);
}

// The operands of all kernels of a batch, without duplicates: kernels often share theirs. They are on the device before
// the first kernel runs, so that nothing happens between two launches.
struct Inputs {
  explicit Inputs(const LaunchBatch& batch) {
    std::map<std::vector<std::uint64_t>, std::size_t> known;
    for (const auto& kernel : batch.kernels) {
      const auto [place, is_new] = known.try_emplace(kernel.launch.input, words.size());
      if (is_new) words.insert(words.end(), kernel.launch.input.begin(), kernel.launch.input.end());
      offsets.push_back(place->second * sizeof words[0]);
    }
    words.resize(std::max<std::size_t>(words.size(), ptx::operands_per_slot));
  }
  std::vector<std::uint64_t> words;
  std::vector<std::size_t> offsets;  // of each kernel, in bytes
};

// The memory that the kernels of a batch share: the slots, which each kernel uses while it runs, and the rest of
// memory.
struct Memory {
  const SlotMemory& slots;
  const gpu::KernelMemory* kernels;  // null if no kernel of the batch uses it
  const gpu::L2Filler* l2_filler;    // null if none evicts
  int sm_count;
};

ptx::LaunchOutcome failed(const gpu::CudaError& error) {
  // 702 is the driver's own watchdog, on a GPU that also drives a display.
  return {error.result == gpu::CUDA_ERROR_LAUNCH_TIMEOUT ? ptx::LaunchStatus::timeout : ptx::LaunchStatus::fault,
          error.driver_words,
          {},
          error.result == gpu::CUDA_ERROR_LAUNCH_FAILED};
}

// A zero handle, because the driver rejected the object, makes a kernel fault or exit.
void name_rejected_objects(ptx::LaunchOutcome& outcome, const KernelLaunch& kernel, const Memory& memory) {
  if (outcome.status == ptx::LaunchStatus::ok || !kernel.launch.uses_memory) return;
  const std::string rejected = memory.kernels->rejected_objects();
  if (!rejected.empty()) outcome.message += "; the driver did not make " + rejected;
}

void set_attributes(const gpu::CudaApi& api, gpu::CUfunction function, const ptx::Launch& launch) {
  // Without it, a launch can request at most 48 KiB.
  if (launch.dynamic_shared > 0)
    PTXLAT_CUDA(api, cuFuncSetAttribute, function, gpu::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                launch.dynamic_shared);
  if (launch.carve_out >= 0)
    PTXLAT_CUDA(api, cuFuncSetAttribute, function, gpu::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                launch.carve_out);
  if (launch.large_cluster)
    PTXLAT_CUDA(api, cuFuncSetAttribute, function, gpu::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (launch.bank_bytes > 0)
    PTXLAT_CUDA(api, cuFuncSetSharedMemConfig, function,
                launch.bank_bytes == 8 ? gpu::CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
                                       : gpu::CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
}

// The parameter `parameters`: line and SM of a kernel that uses memory, the buffers' addresses, the launch's own words,
// zeros.
std::vector<std::uint64_t> parameter_words(const ptx::Launch& launch, const std::list<gpu::FilledBuffer>& buffers) {
  std::vector<std::uint64_t> words;
  if (launch.uses_memory) words = {0, ptx::any_place};
  for (const auto& buffer : buffers) {
    for (const auto word : buffer.parameters()) words.push_back(word);
  }
  words.insert(words.end(), launch.parameters.begin(), launch.parameters.end());
  words.resize(ptx::parameter_bytes / sizeof(std::uint64_t), 0);
  return words;
}

// Puts the launches of a kernel into the stream.
void enqueue(const gpu::CudaApi& api, const gpu::CudaStream& stream, const gpu::CudaModule& module,
             const Memory& memory, const KernelLaunch& kernel, gpu::CUdeviceptr in,
             const std::list<gpu::FilledBuffer>& buffers) {
  const ptx::Launch& shape = kernel.launch;
  const std::size_t launch_bytes = slots_of(shape) * ptx::slot_bytes;
  const auto launches = static_cast<std::size_t>(kernel.launches);
  const gpu::CUfunction function = module.function(kernel.kernel);
  set_attributes(api, function, shape);
  PTXLAT_CUDA(api, cuMemsetD8Async, memory.slots.output.address(), static_cast<unsigned char>(0),
              launches * launch_bytes, stream.get());
  if (shape.uses_memory) memory.kernels->restore(stream);

  auto parameters = parameter_words(shape, buffers);
  // A CTA for each SM, or as many clusters as fit on them.
  const auto groups = static_cast<std::size_t>(shape.places > 0 ? memory.sm_count / shape.ctas : 1);
  const auto places = std::min(static_cast<std::size_t>(shape.places), groups);
  const auto launch_all = [&] {
    for (std::size_t launch = 0; launch < launches; ++launch) {
      gpu::CUdeviceptr kernel_memory = shape.uses_memory ? memory.kernels->objects(launch) : 0;
      if (shape.uses_memory) parameters[0] = memory.kernels->line(launch);
      if (places > 0) parameters[1] = launch % places * groups / places;
      gpu::CUdeviceptr out = memory.slots.output.address() + launch * launch_bytes;
      if (shape.evicts_l2) memory.l2_filler->fill(stream);
      // The driver knows from the cubin how many parameters the kernel takes.
      void* arguments[] = {&out, &in, &kernel_memory, parameters.data()};
      PTXLAT_CUDA(api, cuLaunchKernel, function, static_cast<unsigned>(groups) * static_cast<unsigned>(shape.ctas), 1u,
                  1u, static_cast<unsigned>(shape.threads), 1u, 1u, static_cast<unsigned>(shape.dynamic_shared),
                  stream.get(), arguments, nullptr);
      if (shape.succession == ptx::Succession::synchronised) PTXLAT_CUDA(api, cuStreamSynchronize, stream.get());
    }
  };
  if (shape.succession == ptx::Succession::graph) {
    const gpu::CudaGraph graph(api, stream, launch_all);
    graph.launch(stream);
    PTXLAT_CUDA(api, cuStreamSynchronize, stream.get());
  } else {
    launch_all();
  }
  // All launches in one copy; for the last one only the slots that are read.
  const auto read_bytes =
      static_cast<std::size_t>(shape.threads) * static_cast<std::size_t>(shape.output_ctas) * ptx::slot_bytes;
  PTXLAT_CUDA(api, cuMemcpyDtoHAsync, memory.slots.host.data(), memory.slots.output.address(),
              (launches - 1) * launch_bytes + read_bytes, stream.get());
}

// Whether every thread of a launch that is read stored the same words as the first.
bool threads_agree(const std::uint32_t* slots, const ptx::Launch& shape, std::size_t words_between,
                   std::size_t threads) {
  for (std::size_t thread = 1; thread < threads; ++thread) {
    for (const int word : shape.output_words) {
      if (slots[thread * words_between + static_cast<std::size_t>(word)] != slots[word]) return false;
    }
  }
  return true;
}

ptx::Readout read_output(const unsigned char* host, const KernelLaunch& kernel) {
  const ptx::Launch& shape = kernel.launch;
  const auto* words = reinterpret_cast<const std::uint32_t*>(host);
  ptx::Readout readout;
  readout.launches = static_cast<std::size_t>(kernel.launches);
  readout.threads = static_cast<std::size_t>(shape.threads / shape.output_step * shape.output_ctas);
  const auto words_between = static_cast<std::size_t>(shape.output_step) * ptx::words_per_slot;
  const auto words_per_launch = slots_of(shape) * ptx::words_per_slot;
  readout.words_per_thread = shape.output_words.size();
  readout.threads_agree = true;
  for (std::size_t launch = 0; launch < readout.launches; ++launch)
    readout.threads_agree &= threads_agree(words + launch * words_per_launch, shape, words_between, readout.threads);
  const auto kept = readout.threads_agree ? std::min<std::size_t>(1, readout.threads) : readout.threads;
  for (std::size_t launch = 0; launch < readout.launches; ++launch) {
    for (std::size_t thread = 0; thread < kept; ++thread) {
      const auto* slot = words + launch * words_per_launch + thread * words_between;
      for (const int word : shape.output_words) readout.words.push_back(slot[word]);
    }
  }
  return readout;
}

// Slots are zero before a launch, and two reads of a clock never give the same value.
bool is_untouched(const ptx::Readout& readout, std::size_t launch) {
  for (std::size_t word = 0; word < readout.words_per_thread; ++word) {
    if (readout.word(launch, 0, word) != 0) return false;
  }
  return readout.words_per_thread > 0;
}

void read_buffers(const gpu::CudaApi& api, const gpu::CudaStream& stream, const ptx::Launch& shape,
                  const std::list<gpu::FilledBuffer>& buffers, ptx::Readout& readout) {
  auto buffer = buffers.begin();
  for (const auto& described : shape.buffers) {
    const auto begin = readout.buffers.size();
    readout.buffers.resize(begin + described.read_words);
    if (described.read_words > 0)
      PTXLAT_CUDA(api, cuMemcpyDtoHAsync, readout.buffers.data() + begin, buffer->address(),
                  described.read_words * sizeof(std::uint32_t), stream.get());
    ++buffer;
  }
  PTXLAT_CUDA(api, cuStreamSynchronize, stream.get());
}

// The buffers of a launch: those kept from the same kernel if they are described identically; otherwise new ones.
void make_buffers(const gpu::CudaApi& api, const gpu::CudaStream& stream, const KernelLaunch& kernel, Kept& kept) {
  const auto& launch = kernel.launch;
  // The words read from a buffer may change from launch to launch.
  auto described = launch.buffers;
  for (auto& buffer : described) buffer.read_words = 0;
  if (launch.keeps_buffers && kept.kernel == kernel.kernel && kept.described == described) return;
  kept.clear_buffers();
  for (const auto& buffer : launch.buffers) kept.buffers.emplace_back(api, stream, buffer);
  if (!launch.keeps_buffers) return;
  kept.kernel = kernel.kernel;
  kept.described = std::move(described);
}

// Throws what synchronising throws; any other failure concerns only this kernel and is its outcome.
Outcome run_kernel(const gpu::CudaApi& api, const gpu::CudaStream& stream, const gpu::CudaModule& module,
                   const Memory& memory, const KernelLaunch& kernel, gpu::CUdeviceptr in, Kept& kept) {
  Outcome answer;
  auto& outcome = answer.launch;
  auto& buffers = kept.buffers;
  std::optional<gpu::PersistingWindow> window;  // until the kernel has ended
  try {
    require_sense(kernel.launch);
    make_buffers(api, stream, kernel, kept);
    if (kernel.launch.persisting_bytes > 0)
      window.emplace(api, stream, buffers.front().address(), kernel.launch.persisting_bytes);
    enqueue(api, stream, module, memory, kernel, in, buffers);
  } catch (const gpu::CudaError& error) {
    outcome = failed(error);
    answer.lacks_memory = error.result == gpu::CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::invalid_argument& error) {
    outcome = {ptx::LaunchStatus::fault, error.what(), {}};
  }
  PTXLAT_CUDA(api, cuStreamSynchronize, stream.get());
  if (outcome.status != ptx::LaunchStatus::ok) return answer;

  outcome.readout = read_output(memory.slots.host.data(), kernel);
  for (std::size_t launch = 0; launch < outcome.readout.launches && kernel.launch.places == 0; ++launch) {
    if (is_untouched(outcome.readout, launch))
      return {{ptx::LaunchStatus::fault, "the kernel ended without writing its clocks", {}}};
  }
  if (!buffers.empty()) read_buffers(api, stream, kernel.launch, buffers, outcome.readout);
  return answer;
}

}  // namespace

LaunchBatch on_every_sm(LaunchBatch batch, int sm_count) {
  for (auto& kernel : batch.kernels) {
    if (kernel.launch.ctas == ptx::every_sm) kernel.launch.ctas = kernel.launch.output_ctas = sm_count;
  }
  return batch;
}

bool run_kernels(OpenDevice& device, const LaunchBatch& batch, const Send& send) {
  const auto& api = device.api;
  const auto& stream = device.stream;
  auto& kept = device.kept;
  std::size_t output_bytes = ptx::slot_bytes;
  bool use_memory = false;
  bool evicts_l2 = false;
  for (const KernelLaunch& kernel : batch.kernels) {
    output_bytes =
        std::max(output_bytes, static_cast<std::size_t>(kernel.launches) * slots_of(kernel.launch) * ptx::slot_bytes);
    use_memory = use_memory || kernel.launch.uses_memory;
    evicts_l2 = evicts_l2 || kernel.launch.evicts_l2;
  }
  if (use_memory && !device.kernel_memory) device.kernel_memory.emplace(api);
  if (evicts_l2 && !device.l2_filler)
    device.l2_filler.emplace(api, static_cast<std::size_t>(gpu::device_l2_bytes(api, device.device)));
  ptx::LaunchOutcome not_loaded;
  const bool keeps =
      batch.keeps_module || std::any_of(batch.kernels.begin(), batch.kernels.end(),
                                        [](const KernelLaunch& kernel) { return kernel.launch.keeps_buffers; });
  if (!keeps) kept.clear();
  const gpu::CudaModule* module = nullptr;
  try {
    module = &kept.load(api, batch.cubin);
  } catch (const gpu::CudaError& error) {
    not_loaded = failed(error);
  }
  const Inputs inputs(batch);
  const auto input_bytes = inputs.words.size() * sizeof inputs.words[0];
  if (!kept.slots || kept.slots->input_bytes < input_bytes || kept.slots->output_bytes < output_bytes) {
    kept.slots.reset();
    kept.slots = std::make_unique<SlotMemory>(api, input_bytes, output_bytes);
  }
  PTXLAT_CUDA(api, cuMemcpyHtoD, kept.slots->input.address(), inputs.words.data(), input_bytes);
  PTXLAT_CUDA(api, cuStreamSynchronize, nullptr);  // a copy from pageable memory may return before it has arrived
  const Memory memory{*kept.slots, use_memory ? &*device.kernel_memory : nullptr,
                      evicts_l2 ? &*device.l2_filler : nullptr, device.sm_count};

  send(frame(Kind::loaded));

  for (std::size_t number = 0; number < batch.kernels.size(); ++number) {
    const KernelLaunch& kernel = batch.kernels[number];
    if (module == nullptr) {
      send(frame(Kind::outcome, Outcome{not_loaded, false}));
      continue;
    }
    Outcome outcome;
    try {
      outcome =
          run_kernel(api, stream, *module, memory, kernel, memory.slots.input.address() + inputs.offsets[number], kept);
    } catch (const gpu::CudaError& error) {
      outcome = {failed(error), true};
    }
    name_rejected_objects(outcome.launch, kernel, memory);
    send(frame(Kind::outcome, outcome));
    if (outcome.process_ends) return false;
  }
  if (!keeps) kept.clear();
  return true;
}

}  // namespace ptxlat::worker
