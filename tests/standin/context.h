// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/cuda_api.h"
#include "window.h"

#define STANDIN_API extern "C" __attribute__((visibility("default")))

namespace standin {

// Results that ptxlat itself does not distinguish from others.
inline constexpr ptxlat::gpu::CUresult error_out_of_memory = 2;
inline constexpr ptxlat::gpu::CUresult error_no_binary_for_gpu = 209;
inline constexpr ptxlat::gpu::CUresult error_operating_system = 304;
inline constexpr ptxlat::gpu::CUresult error_unknown = 999;

struct Function {
  std::string name;
  Code code;
  unsigned most_dynamic_shared = 48 * 1024;  // until cuFuncSetAttribute says otherwise
  int bank_bytes = 0;                        // until cuFuncSetSharedMemConfig says
  bool has_large_clusters = false;
};

// What a launch executes, for counters.
struct Executed {
  Code code;
  unsigned warps = 0;
};

// A device's primary context in this process.
struct Context {
  int device = 0;
  ptxlat::gpu::CUresult fault = ptxlat::gpu::CUDA_SUCCESS;  // sticky
  bool is_hung = false;
  std::uint32_t launches = 0;
  std::map<std::string, int> launches_of;  // by the function's name
  std::size_t allocated_bytes = 0;
  std::size_t persisting_limit = 0;
  ptxlat::gpu::CUaccessPolicyWindow window{};  // the stand-in's streams are one
  bool has_persisting_lines = false;
  bool is_counting = false;
  std::vector<Executed> counted;  // launches since the counting began
  std::size_t most_counted = 0;   // of which later ones are dropped
  bool is_capturing = false;      // launches, for a graph
  bool is_graph = false;          // that is being launched
  std::vector<std::function<ptxlat::gpu::CUresult()>> captured;
  std::size_t set_bytes = 0;  // by the last cuMemsetD8Async since the last launch
};

// The context of a device that the script has.
Context& context_of(int device);

// The calling thread's context: the one that it made current, else that of device 0.
Context& context();

// Of the calling thread's device.
std::size_t attribute(ptxlat::gpu::CUdevice_attribute which);

// How many bytes of device memory there are from this address to the end of its allocation; 0 elsewhere.
std::size_t bytes_from(ptxlat::gpu::CUdeviceptr address);

// Whom CUPTI shows the cubins of loaded modules; null if nobody subscribed.
using ModuleCallback = void (*)(void* user_data, int domain, std::uint32_t id, const void* data);
struct ModuleSubscriber {
  ModuleCallback callback = nullptr;
  void* user_data = nullptr;
};
ModuleSubscriber& module_subscriber();

// Whether $variable is a part of the text.
bool setting_names(const char* variable, const std::string& text);

// A line for the file that this environment variable names; nothing if it is not set.
void append_to_log(const char* variable, const std::string& text);

[[noreturn]] void hang();

}  // namespace standin
