// SPDX-License-Identifier: Apache-2.0

// A stand-in for libcuda.so.1, libnvidia-ml.so.1 and libcupti (cupti.cpp) with imaginary devices, for tests on machines
// without a GPU. A launch runs nothing: it finds the kernel's clock reads in the cubin and writes what they would have
// read into the output slots, by the contract of ptx/kernel.h (launch.cpp). A script tells it which devices it has
// and what launches answer instead (script.h); the rest of the environment makes it misbehave:
//   PTXLAT_STANDIN_SCRIPT       the script
//   PTXLAT_STANDIN_PTXAS        the ptxas that is its JIT
//   PTXLAT_STANDIN_FAULT        a kernel with this in its name faults; the fault stays, as in the real driver
//   PTXLAT_STANDIN_TRAP         a kernel with this in its name traps, which is a fault too
//   PTXLAT_STANDIN_HANG         a kernel with this in its name never ends
//   PTXLAT_STANDIN_CRASH_JIT    PTX with this in it makes the JIT abort
//   PTXLAT_STANDIN_HANG_JIT     PTX with this in it makes the JIT hang
//   PTXLAT_STANDIN_JIT_CACHE    "garbage": its JIT's cache has no cubin in it
//   PTXLAT_STANDIN_LAUNCH_LOG   a file that gets one line a launch: the kernel's name
//   PTXLAT_STANDIN_LOAD_LOG     a file that gets one line a module that is loaded: how many kernels it has
//   PTXLAT_STANDIN_LAUNCH_SHAPES  a file that gets one line a launch: all that the launch was asked with (shape_line)
//   PTXLAT_STANDIN_EVICT_LAST   a kernel with this in its name leaves persisting lines
//   PTXLAT_STANDIN_COUNT        a kernel with this in its name adds 1 to the first word of its first buffer
//   PTXLAT_STANDIN_REFUSE       functions with this in their name fail (objects.cpp, persisting.cpp)
//   PTXLAT_STANDIN_DELAY_MS     how long every synchronisation takes
//   PTXLAT_STANDIN_START_MS     how long the first cuInit of a process takes
//   PTXLAT_STANDIN_STOP_ONCE    a file: the process that creates it stops itself (SIGSTOP) in its first cuInit
//   PTXLAT_STANDIN_HUNG         a file that exists once anything hangs
//   PTXLAT_STANDIN_NO_DEVICE    if set: there is a driver and no GPU
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "context.h"
#include "jit.h"
#include "script.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace standin {
namespace {

struct Module {
  std::map<std::string, Function> functions;
};

// What the options of the JIT say, and what it made.
struct Jit {
  Jit(unsigned count, const CUjit_option* options, void** values);

  // The driver's result for this PTX.
  CUresult make(const std::string& ptx);

  int level = 4;
  std::string target;
  char* error_log = nullptr;
  std::size_t error_log_bytes = 0;
  Assembled assembled;
};

struct Link {
  Jit jit;
  std::string ptx;
};

std::string target_name(std::uintptr_t target) {
  const char* suffix = target & CU_COMPUTE_ACCELERATED_TARGET_BASE ? "a"
                       : target & CU_COMPUTE_FAMILY_TARGET_BASE    ? "f"
                                                                   : "";
  return "sm_" + std::to_string(target & 0xffff) + suffix;
}

// A cubin runs on its own architecture and on later ones of the same major number.
bool can_run(int device_sm, int cubin_sm) { return device_sm / 10 == cubin_sm / 10 && device_sm >= cubin_sm; }

Jit::Jit(unsigned count, const CUjit_option* options, void** values)
    : target("sm_" + std::to_string(script().devices.at(context().device).sm)) {
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(values[i]);
    if (options[i] == CU_JIT_OPTIMIZATION_LEVEL) level = static_cast<int>(number);
    if (options[i] == CU_JIT_TARGET) target = target_name(number);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) error_log = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) error_log_bytes = number;
  }
}

CUresult Jit::make(const std::string& ptx) {
  if (is_gone(context().device)) return error_unknown;
  if (setting_names("PTXLAT_STANDIN_CRASH_JIT", ptx)) abort();
  if (setting_names("PTXLAT_STANDIN_HANG_JIT", ptx)) hang();
  assembled = assemble(ptx, target, level);
  if (assembled.result != CUDA_SUCCESS && error_log_bytes > 0)
    std::strncpy(error_log, assembled.log.c_str(), error_log_bytes - 1);
  return assembled.result;
}

// As CUPTI does, in structures of its own.
void show_to_subscriber(const std::vector<char>& cubin) {
  const auto& [callback, user_data] = module_subscriber();
  if (callback == nullptr) return;
  const struct {
    std::uint32_t id;
    std::size_t size;
    const char* cubin;
  } module{1, cubin.size(), cubin.data()};
  const struct {
    void *context, *handle;
    const void* descriptor;
  } resource{nullptr, nullptr, &module};
  constexpr int resources = 3;
  constexpr std::uint32_t module_loaded = 6;
  callback(user_data, resources, module_loaded, &resource);
}

// An index, and in a folder of its own the cubin with something before and behind it.
void write_to_cache(const std::vector<char>& cubin) {
  const char* disabled = std::getenv("CUDA_CACHE_DISABLE");
  const char* path = std::getenv("CUDA_CACHE_PATH");
  if ((disabled && *disabled == '1') || !path) return;
  namespace fs = std::filesystem;
  static int number = 0;
  const auto folder = fs::path(path) / std::to_string(++number % 16);
  fs::create_directories(folder);
  std::ofstream(fs::path(path) / "index", std::ios::app) << "sixteen bytes...";
  std::ofstream file(folder / std::to_string(number), std::ios::binary);
  file << std::string(401, 'h');
  if (!setting_names("PTXLAT_STANDIN_JIT_CACHE", "garbage")) file.write(cubin.data(), std::ssize(cubin));
  file << "behind it";
}

}  // namespace

ModuleSubscriber& module_subscriber() {
  static ModuleSubscriber subscriber;
  return subscriber;
}

bool setting_names(const char* variable, const std::string& text) {
  const char* part = std::getenv(variable);
  return part && *part && text.find(part) != std::string::npos;
}

void hang() {
  if (const char* file = std::getenv("PTXLAT_STANDIN_HUNG")) close(open(file, O_WRONLY | O_CREAT, 0644));
  for (;;) pause();
}

}  // namespace standin

using namespace standin;

STANDIN_API CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
STANDIN_API CUresult cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
    case CUDA_ERROR_INVALID_VALUE:
      *name = "CUDA_ERROR_INVALID_VALUE";
      break;
    case error_out_of_memory:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      break;
    case CUDA_ERROR_INVALID_IMAGE:
      *name = "CUDA_ERROR_INVALID_IMAGE";
      break;
    case error_no_binary_for_gpu:
      *name = "CUDA_ERROR_NO_BINARY_FOR_GPU";
      break;
    case CUDA_ERROR_INVALID_PTX:
      *name = "CUDA_ERROR_INVALID_PTX";
      break;
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
      *name = "CUDA_ERROR_JIT_COMPILER_NOT_FOUND";
      break;
    case CUDA_ERROR_NOT_FOUND:
      *name = "CUDA_ERROR_NOT_FOUND";
      break;
    case CUDA_ERROR_NOT_SUPPORTED:
      *name = "CUDA_ERROR_NOT_SUPPORTED";
      break;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
      break;
    case CUDA_ERROR_LAUNCH_FAILED:
      *name = "CUDA_ERROR_LAUNCH_FAILED";
      break;
    case error_unknown:
      *name = "CUDA_ERROR_UNKNOWN";
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuGetErrorString(CUresult error, const char** words) {
  *words = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
           : error == error_out_of_memory      ? "out of memory"
                                               : "the stand-in's own words";
  return CUDA_SUCCESS;
}

STANDIN_API CUresult cuModuleLoadData(CUmodule* handle, const void* image) {
  if (context().fault != CUDA_SUCCESS) return context().fault;
  const auto* cubin = static_cast<const unsigned char*>(image);
  auto kernels = read_cubin(cubin);
  if (kernels.empty()) return CUDA_ERROR_INVALID_IMAGE;
  if (!can_run(script().devices.at(context().device).sm, sm_of(cubin))) return error_no_binary_for_gpu;
  append_to_log("PTXLAT_STANDIN_LOAD_LOG", std::to_string(kernels.size()));
  auto* module = new Module;
  for (auto& [name, code] : kernels) module->functions[name] = {name, std::move(code)};
  *handle = reinterpret_cast<CUmodule>(module);
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuModuleLoadDataEx(CUmodule* handle, const void* image, unsigned count, CUjit_option* options,
                                        void** values) {
  if (context().fault != CUDA_SUCCESS) return context().fault;
  Jit jit(count, options, values);
  if (const auto result = jit.make(static_cast<const char*>(image)); result != CUDA_SUCCESS) return result;
  const auto& cubin = jit.assembled.cubin;
  if (cubin.empty()) return CUDA_ERROR_INVALID_IMAGE;
  show_to_subscriber(cubin);
  write_to_cache(cubin);
  return cuModuleLoadData(handle, cubin.data());
}
STANDIN_API CUresult cuModuleUnload(CUmodule module) {
  return delete reinterpret_cast<Module*>(module), context().fault;
}
STANDIN_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto& functions = reinterpret_cast<Module*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(&found->second);
  return context().fault;
}

STANDIN_API CUresult cuStreamCreate(CUstream* stream, unsigned) { return *stream = nullptr, context().fault; }
STANDIN_API CUresult cuStreamDestroy_v2(CUstream) { return context().fault; }
STANDIN_API CUresult cuStreamSynchronize(CUstream) {
  if (const char* delay = std::getenv("PTXLAT_STANDIN_DELAY_MS"))
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(delay)));
  if (context().is_hung) hang();
  return is_gone(context().device) ? error_unknown : context().fault;
}

STANDIN_API CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  *state = reinterpret_cast<CUlinkState>(new Link{Jit(count, options, values), {}});
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType, void* data, std::size_t size, const char*,
                                      unsigned, CUjit_option*, void**) {
  reinterpret_cast<Link*>(state)->ptx.assign(static_cast<const char*>(data), size - 1);
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuLinkComplete(CUlinkState state, void** cubin, std::size_t* size) {
  auto& [jit, ptx] = *reinterpret_cast<Link*>(state);
  const auto result = jit.make(ptx);
  *cubin = jit.assembled.cubin.data();
  *size = jit.assembled.cubin.size();
  return result;
}
STANDIN_API CUresult cuLinkDestroy(CUlinkState state) { return delete reinterpret_cast<Link*>(state), CUDA_SUCCESS; }
