// SPDX-License-Identifier: Apache-2.0

// The stand-in's answer to a launch: that of the script, else that of the kernel's schedule.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "context.h"
#include "gpu/buffers.h"
#include "ptx/kernel.h"
#include "script.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace standin {

void append_to_log(const char* variable, const std::string& text) {
  const char* path = std::getenv(variable);
  if (!path || !*path) return;
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const std::string line = text + "\n";
  if (file < 0 || write(file, line.data(), line.size()) < 0) abort();
  close(file);
}

namespace {

constexpr std::size_t slot_bytes = ptx::slot_bytes;
constexpr std::uint32_t sm_id = 17;
constexpr unsigned most_threads = 1024;
constexpr int most_dynamic_shared = 227 * 1024;

bool is_zero(const unsigned char* bytes, std::size_t size) {
  return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

// The window that a launch has on persisting lines, or that an earlier one has left some.
std::string persisting_words(CUdeviceptr first_buffer) {
  const auto& [address, bytes, ratio, hit, miss] = context().window;
  std::string words;
  if (bytes > 0)
    words += " window " + std::to_string(bytes) + (address == first_buffer ? " on buffer" : " elsewhere") +
             (ratio == 1 && hit == CU_ACCESS_PROPERTY_PERSISTING ? "" : " in part");
  else if (context().has_persisting_lines)
    words += " persisting lines";
  if (context().persisting_limit > 0) words += " limit " + std::to_string(context().persisting_limit);
  return words;
}

// What the parameters of a kernel that uses memory begin with.
struct Placed {
  CUdeviceptr line = 0;
  std::uint64_t place = ptx::any_place;
};
Placed placed(void** parameters) {
  Placed words;
  if (*static_cast<CUdeviceptr*>(parameters[2]) != 0) std::memcpy(&words, parameters[3], sizeof words);
  return words;
}

// "k0_ ctas 2 lanes 1024 shared 4096 parameters zero memory clean tex_2d 3 tensormap_2d yes". Scribbles over the memory
// afterwards, as a kernel may.
std::string shape_line(const Function& function, unsigned ctas, unsigned lanes, unsigned shared, void** parameters) {
  const auto* own = static_cast<const unsigned char*>(parameters[3]);
  if (placed(parameters).line != 0) own += sizeof(Placed);
  std::string line = function.name + " ctas " + std::to_string(ctas) + " lanes " + std::to_string(lanes) + " shared " +
                     std::to_string(shared) + " parameters " + (is_zero(own, 1024 - sizeof(Placed)) ? "zero" : "dirty");
  if (const auto place = placed(parameters).place; place != ptx::any_place) line += " place " + std::to_string(place);
  if (function.bank_bytes != 0) line += " banks " + std::to_string(function.bank_bytes);
  if (function.has_large_clusters) line += " large clusters";
  if (context().is_graph) line += " in a graph";
  line += persisting_words(*static_cast<CUdeviceptr*>(parameters[3]));
  if (context().set_bytes >= attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)) line += " after a fill of L2";
  auto* memory = reinterpret_cast<unsigned char*>(*static_cast<CUdeviceptr*>(parameters[2]));
  if (!memory) return line + " memory none";
  auto* scratch = reinterpret_cast<unsigned char*>(placed(parameters).line);
  line += is_zero(scratch, line_distance) ? " memory clean" : " memory dirty";
  for (const HostObject& object : host_objects) {
    std::uint64_t first = 0;
    std::memcpy(&first, memory + object.offset, sizeof first);
    if (object.name == "tex_2d") line += " tex_2d " + std::to_string(first);
    if (object.name == "tensormap_2d") line += std::string(" tensormap_2d ") + (first != 0 ? "yes" : "no");
  }
  std::memset(memory, 0xee, object_page_bytes);
  std::memset(scratch, 0xee, line_distance);
  return line;
}

// As a kernel does that leaves something in its memory.
void count_in_first_buffer(void** parameters) {
  const CUdeviceptr buffer = *static_cast<CUdeviceptr*>(parameters[3]);
  if (bytes_from(buffer) >= sizeof(std::uint32_t)) ++*reinterpret_cast<std::uint32_t*>(buffer);
}

// The input slots up to the first that is not in device memory.
std::vector<std::array<std::uint64_t, 8>> read_input(CUdeviceptr in, std::size_t threads) {
  std::vector<std::array<std::uint64_t, 8>> slots(std::min(threads, bytes_from(in) / slot_bytes));
  if (!slots.empty()) std::memcpy(slots.data(), reinterpret_cast<const void*>(in), slots.size() * slot_bytes);
  return slots;
}

// FNV-1a of the words; 0 for a slot that cannot be read.
std::uint64_t checksum(const Launch& launch, std::size_t slot) {
  if (slot >= launch.input.size()) return 0;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint64_t word : launch.input[slot]) hash = (hash ^ word) * 0x100000001b3;
  return hash;
}

CUresult illegal_address() {
  return context().fault = CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_SUCCESS;  // a fault is seen by what comes after the launch
}

// The clocks of successive launches start just below the wrap of 32 bits, where subtracting anything but unsigned goes
// wrong. Every CTA but the first takes a cycle longer, so that they can be distinguished. The 16 bytes of result are
// the threads of a CTA and the checksum of the thread's operands, by which a test sees what arrived. After them comes
// what the window leaves in registers.
CUresult write_slots(const Launch& launch, CUdeviceptr out, const std::function<std::uint32_t(unsigned)>& cycles_of) {
  const std::size_t slots = std::size_t{launch.ctas} * launch.threads;
  if (slots * slot_bytes > bytes_from(out)) return illegal_address();
  const std::uint32_t first = 0xfffffff0u + 64 * context().launches++, left = value_of_window(*launch.code);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t cycles = cycles_of(static_cast<unsigned>(slot % launch.threads)) + (slot >= launch.threads);
    const std::uint64_t operands = checksum(launch, slot);
    const std::uint32_t words[9] = {first,
                                    first + cycles,
                                    sm_id,
                                    0,
                                    launch.threads,
                                    0,
                                    static_cast<std::uint32_t>(operands),
                                    static_cast<std::uint32_t>(operands >> 32),
                                    left};
    std::memcpy(reinterpret_cast<void*>(out + slot * slot_bytes), words, sizeof words);
  }
  return CUDA_SUCCESS;
}

CUresult write_words(CUdeviceptr out, const std::vector<std::uint32_t>& words) {
  const std::size_t size = words.size() * sizeof words[0];
  if (size > bytes_from(out)) return illegal_address();
  std::memcpy(reinterpret_cast<void*>(out), words.data(), size);
  return CUDA_SUCCESS;
}

// How each alternative of an Answer is carried out.
struct Answering {
  const Launch& launch;
  CUdeviceptr out;

  CUresult operator()(const Cycles& answer) const {
    const auto cycles = answer.by_launch[launch.number % answer.by_launch.size()];
    return write_slots(launch, out, [&](unsigned) { return cycles; });
  }
  CUresult operator()(const LaneCycles& answer) const {
    return write_slots(launch, out, [&](unsigned lane) { return answer.by_lane[lane % answer.by_lane.size()]; });
  }
  CUresult operator()(const Words& answer) const { return write_words(out, answer.words); }
  CUresult operator()(const ThreadWords& answer) const {
    for (std::size_t thread = 0; thread < std::size_t{launch.ctas} * launch.threads; ++thread)
      write_words(out + thread * answer.thread_bytes, answer.by_thread[thread % answer.by_thread.size()]);
    return CUDA_SUCCESS;
  }
  CUresult operator()(Death death) const {
    switch (death) {
      case Death::fault:
        return illegal_address();
      case Death::hang:
        return context().is_hung = true, CUDA_SUCCESS;
      case Death::exit:
        _exit(1);
      case Death::crash:
        abort();
      case Death::kill:
        raise(SIGKILL);
        break;
      case Death::gpu:
        lose_device(context().device);
        return context().fault = error_unknown, CUDA_SUCCESS;
    }
    abort();
  }
  CUresult operator()(OutOfMemory) const { return error_out_of_memory; }
};

// The rounds of the loop between the clocks, if it looks as if the launch had chosen them.
std::uint64_t rounds_of(const Launch& launch) {
  constexpr std::uint64_t most = 1 << 20;
  const std::uint64_t rounds = launch.input.empty() ? 1 : launch.input.front()[ptx::slot_of_rounds];
  return rounds >= 1 && rounds <= most ? rounds : 1;
}

// An SM has four schedulers, of which each issues one instruction per cycle and has every fourth warp.
CUresult answer_from_schedule(const Launch& launch, CUdeviceptr out) {
  constexpr unsigned lanes_of_a_warp = 32, schedulers = 4;
  const auto rounds = rounds_of(launch);
  const auto of_one_warp = cycles_between_clocks(*launch.code, rounds);
  if (!of_one_warp) return CUDA_SUCCESS;
  const auto [begin, end] = window_of(*launch.code);
  auto issued = static_cast<std::uint64_t>(end - begin);
  if (const auto loop = loop_of(*launch.code))
    issued += (rounds - 1) * static_cast<std::uint64_t>(loop->second - loop->first);
  const std::uint64_t warps_of_one =
      (launch.threads + lanes_of_a_warp * schedulers - 1) / (lanes_of_a_warp * schedulers);
  const auto cycles = static_cast<std::uint32_t>(std::max(*of_one_warp, warps_of_one > 1 ? warps_of_one * issued : 0));
  return write_slots(launch, out, [&](unsigned) { return cycles; });
}

}  // namespace
}  // namespace standin

using namespace standin;

STANDIN_API CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  constexpr CUfunction_attribute preferred_shared_memory_carveout = 9;
  if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    reinterpret_cast<Function*>(handle)->has_large_clusters = value != 0;
    return context().fault;
  }
  if (attribute == preferred_shared_memory_carveout)
    return value < -1 || value > 100 ? CUDA_ERROR_INVALID_VALUE : context().fault;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > most_dynamic_shared)
    return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<Function*>(handle)->most_dynamic_shared = static_cast<unsigned>(value);
  return context().fault;
}

STANDIN_API CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  const bool is_eight = config == CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
  if (!is_eight && config != CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE) return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<Function*>(handle)->bank_bytes = is_eight ? 8 : 4;
  return context().fault;
}

STANDIN_API CUresult cuLaunchKernel(CUfunction handle, unsigned ctas, unsigned, unsigned, unsigned lanes, unsigned,
                                    unsigned, unsigned shared, CUstream, void** parameters, void**);

namespace {

// Keeps a launch with its parameters, until the graph is launched.
void capture(CUfunction handle, unsigned ctas, unsigned lanes, unsigned shared, void** parameters) {
  struct Arguments {
    std::array<CUdeviceptr, 3> addresses;
    std::array<unsigned char, ptx::parameter_bytes> own;
  };
  Arguments arguments;
  for (std::size_t i = 0; i < 3; ++i) arguments.addresses[i] = *static_cast<CUdeviceptr*>(parameters[i]);
  std::memcpy(arguments.own.data(), parameters[3], arguments.own.size());
  context().captured.push_back([=]() mutable {
    void* again[] = {&arguments.addresses[0], &arguments.addresses[1], &arguments.addresses[2], arguments.own.data()};
    return cuLaunchKernel(handle, ctas, 1, 1, lanes, 1, 1, shared, nullptr, again, nullptr);
  });
}

}  // namespace

STANDIN_API CUresult cuLaunchKernel(CUfunction handle, unsigned ctas, unsigned, unsigned, unsigned lanes, unsigned,
                                    unsigned, unsigned shared, CUstream, void** parameters, void**) {
  if (context().fault != CUDA_SUCCESS) return context().fault;
  const auto& function = *reinterpret_cast<const Function*>(handle);
  if (ctas == 0 || lanes == 0 || lanes > most_threads || shared > function.most_dynamic_shared)
    return CUDA_ERROR_INVALID_VALUE;
  if (context().is_capturing) {
    capture(handle, ctas, lanes, shared, parameters);
    return CUDA_SUCCESS;
  }
  append_to_log("PTXLAT_STANDIN_LAUNCH_LOG", function.name);
  if (std::getenv("PTXLAT_STANDIN_LAUNCH_SHAPES"))
    append_to_log("PTXLAT_STANDIN_LAUNCH_SHAPES", shape_line(function, ctas, lanes, shared, parameters));
  constexpr unsigned warp = 32;
  if (context().is_counting) context().counted.push_back({function.code, ctas * ((lanes + warp - 1) / warp)});
  context().set_bytes = 0;
  if (context().window.num_bytes > 0 || setting_names("PTXLAT_STANDIN_EVICT_LAST", function.name))
    context().has_persisting_lines = true;
  if (setting_names("PTXLAT_STANDIN_HANG", function.name)) return context().is_hung = true, CUDA_SUCCESS;
  if (setting_names("PTXLAT_STANDIN_FAULT", function.name)) return illegal_address();
  if (setting_names("PTXLAT_STANDIN_TRAP", function.name))
    return context().fault = CUDA_ERROR_LAUNCH_FAILED, CUDA_SUCCESS;

  if (setting_names("PTXLAT_STANDIN_COUNT", function.name)) count_in_first_buffer(parameters);
  const auto out = *static_cast<CUdeviceptr*>(parameters[0]), in = *static_cast<CUdeviceptr*>(parameters[1]);
  // Of a grid with a CTA on every SM one CTA has the slots.
  if (placed(parameters).place != ptx::any_place) ctas = 1;
  const Launch launch{function.name,
                      &function.code,
                      context().launches_of[function.name]++,
                      process_number(),
                      script().devices.at(context().device).number,
                      ctas,
                      lanes,
                      read_input(in, std::size_t{ctas} * lanes)};
  for (const Rule& rule : script().rules)
    if (rule.matches(launch)) return std::visit(Answering{launch, out}, rule.answer);
  return answer_from_schedule(launch, out);
}
