// A stand-in for libcuda.so.1 and libnvidia-ml.so.1 with one imaginary sm_90 device, for tests on machines without a
// GPU. A launch runs nothing: it finds the kernel's clock reads in the cubin and writes what they would have read into
// the output slots, by the contract of measure/worker.h. The environment makes it misbehave:
//   PTXLAT_STANDIN_PTXAS        the ptxas that is its JIT
//   PTXLAT_STANDIN_FAULT        a kernel with this in its name faults; the fault stays, as in the real driver
//   PTXLAT_STANDIN_HANG         a kernel with this in its name never ends
//   PTXLAT_STANDIN_CRASH_JIT    PTX with this in it makes the JIT abort
//   PTXLAT_STANDIN_HANG_JIT     PTX with this in it makes the JIT hang
//   PTXLAT_STANDIN_LAUNCH_LOG   a file that gets one line a launch: the kernel's name
//   PTXLAT_STANDIN_LAUNCH_SHAPES  a file that gets one line a launch: all that the launch was asked with (shape_line)
//   PTXLAT_STANDIN_REFUSE       functions with this in their name make no object (objects.cpp)
//   PTXLAT_STANDIN_DELAY_MS     how long every synchronisation takes
//   PTXLAT_STANDIN_NO_DEVICE    if set: there is a driver and no GPU
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "gpu/kernel_memory.h"
#include "jit.h"
#include "window.h"

using namespace ptxlat;

namespace {

constexpr int slot_bytes = 64;
constexpr std::uint32_t sm_id = 17;
constexpr unsigned most_threads = 1024;

struct Function {
  std::string name;
  standin::Code code;
  unsigned most_dynamic_shared = 48 * 1024;  // until cuFuncSetAttribute says otherwise
};

struct Module {
  std::map<std::string, Function> functions;
};

struct Link {
  int level = 4;
  std::string target = "sm_90";
  char* error_log = nullptr;
  std::size_t error_log_bytes = 0;
  std::string ptx;
  standin::Assembled assembled;
};

// One context a process, like the primary context that it stands for.
struct Context {
  CUresult fault = CUDA_SUCCESS;  // sticky
  bool is_hung = false;
  std::uint32_t launches = 0;
} context;

bool setting_names(const char* variable, const std::string& text) {
  const char* part = std::getenv(variable);
  return part && *part && text.find(part) != std::string::npos;
}

void append_to_log(const char* variable, const std::string& text) {
  const char* path = std::getenv(variable);
  if (!path || !*path) return;
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const std::string line = text + "\n";
  if (file < 0 || write(file, line.data(), line.size()) < 0) abort();
  close(file);
}

[[noreturn]] void hang() {
  for (;;) pause();
}

bool is_zero(const unsigned char* bytes, std::size_t size) {
  return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

// "k0_ ctas 2 lanes 1024 shared 4096 parameters zero memory clean tex_2d 3 tensormap_2d yes". Scribbles over the memory
// afterwards, as a kernel may.
std::string shape_line(const Function& function, unsigned ctas, unsigned lanes, unsigned shared, void** parameters) {
  std::string line = function.name + " ctas " + std::to_string(ctas) + " lanes " + std::to_string(lanes) + " shared " +
                     std::to_string(shared) + " parameters " +
                     (is_zero(static_cast<const unsigned char*>(parameters[3]), 1024) ? "zero" : "dirty");
  auto* memory = reinterpret_cast<unsigned char*>(*static_cast<CUdeviceptr*>(parameters[2]));
  if (!memory) return line + " memory none";
  const std::size_t size = object_page_bytes + scratch_bytes;
  line += is_zero(memory + object_page_bytes, scratch_bytes) ? " memory clean" : " memory dirty";
  for (const HostObject& object : host_objects) {
    std::uint64_t first = 0;
    std::memcpy(&first, memory + object.offset, sizeof first);
    if (object.name == "tex_2d") line += " tex_2d " + std::to_string(first);
    if (object.name == "tensormap_2d") line += std::string(" tensormap_2d ") + (first != 0 ? "yes" : "no");
  }
  std::memset(memory, 0xee, size);
  return line;
}

// The clocks of successive launches start just below the wrap of 32 bits, where subtracting anything but unsigned goes
// wrong. Every CTA but the first takes a cycle longer, to be told apart.
void write_slots(const Function& function, CUdeviceptr out, unsigned ctas, unsigned lanes) {
  const auto cycles = standin::cycles_between_clocks(function.code);
  if (!cycles) return;
  const std::uint32_t first = 0xfffffff0u + 64 * context.launches++;
  for (unsigned slot = 0; slot < ctas * lanes; ++slot) {
    const std::uint32_t words[8] = {first, first + *cycles + (slot >= lanes), sm_id, 0, lanes, 0, 0, 0};
    std::memcpy(reinterpret_cast<void*>(out + slot * slot_bytes), words, sizeof words);
  }
}

std::string target_name(std::uintptr_t target) {
  const char* suffix = target & CU_COMPUTE_ACCELERATED_TARGET_BASE ? "a"
                       : target & CU_COMPUTE_FAMILY_TARGET_BASE    ? "f"
                                                                   : "";
  return "sm_" + std::to_string(target & 0xffff) + suffix;
}

}  // namespace

#define STANDIN_API extern "C" __attribute__((visibility("default")))

STANDIN_API CUresult cuInit(unsigned) {
  return std::getenv("PTXLAT_STANDIN_NO_DEVICE") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
STANDIN_API CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
STANDIN_API CUresult cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
    case CUDA_ERROR_INVALID_VALUE:
      *name = "CUDA_ERROR_INVALID_VALUE";
      break;
    case CUDA_ERROR_INVALID_IMAGE:
      *name = "CUDA_ERROR_INVALID_IMAGE";
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
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuGetErrorString(CUresult error, const char** words) {
  *words =
      error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "the stand-in's own words";
  return CUDA_SUCCESS;
}

STANDIN_API CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
STANDIN_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return *device = ordinal, ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
STANDIN_API CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "Stand-in H200", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) {
  for (unsigned char i = 0; i < 16; ++i) uuid->bytes[i] = i;
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = 1980000;
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 3201000;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuDevicePrimaryCtxRetain(CUcontext* handle, CUdevice) {
  *handle = reinterpret_cast<CUcontext>(&context);
  return context.fault;
}
STANDIN_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return context.fault; }
STANDIN_API CUresult cuCtxSetCurrent(CUcontext) { return context.fault; }

STANDIN_API CUresult cuModuleLoadData(CUmodule* handle, const void* image) {
  auto kernels = standin::read_cubin(static_cast<const unsigned char*>(image));
  if (kernels.empty()) return CUDA_ERROR_INVALID_IMAGE;
  auto* module = new Module;
  for (auto& [name, code] : kernels) module->functions[name] = {name, std::move(code)};
  *handle = reinterpret_cast<CUmodule>(module);
  return context.fault;
}
STANDIN_API CUresult cuModuleUnload(CUmodule module) { return delete reinterpret_cast<Module*>(module), context.fault; }
STANDIN_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto& functions = reinterpret_cast<Module*>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end()) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(&found->second);
  return context.fault;
}

// Device memory is host memory.
STANDIN_API CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t size) {
  return *address = reinterpret_cast<CUdeviceptr>(std::malloc(size)), context.fault;
}
STANDIN_API CUresult cuMemFree_v2(CUdeviceptr address) {
  return std::free(reinterpret_cast<void*>(address)), context.fault;
}
STANDIN_API CUresult cuMemHostAlloc(void** address, std::size_t size, unsigned) {
  return *address = std::malloc(size), context.fault;
}
STANDIN_API CUresult cuMemFreeHost(void* address) { return std::free(address), context.fault; }
STANDIN_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t size) {
  if (size > 0) std::memcpy(reinterpret_cast<void*>(to), from, size);
  return context.fault;
}
STANDIN_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t size, CUstream) {
  return cuMemcpyHtoD_v2(to, from, size);
}
STANDIN_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t size, CUstream) {
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return context.fault;
}
STANDIN_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t size, CUstream) {
  std::memset(reinterpret_cast<void*>(to), value, size);
  return context.fault;
}

STANDIN_API CUresult cuStreamCreate(CUstream* stream, unsigned) { return *stream = nullptr, context.fault; }
STANDIN_API CUresult cuStreamDestroy_v2(CUstream) { return context.fault; }
STANDIN_API CUresult cuStreamSynchronize(CUstream) {
  if (const char* delay = std::getenv("PTXLAT_STANDIN_DELAY_MS"))
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(delay)));
  if (context.is_hung) hang();
  return context.fault;
}

STANDIN_API CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  constexpr int most = 227 * 1024;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > most)
    return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<Function*>(handle)->most_dynamic_shared = static_cast<unsigned>(value);
  return context.fault;
}

STANDIN_API CUresult cuLaunchKernel(CUfunction handle, unsigned ctas, unsigned, unsigned, unsigned lanes, unsigned,
                                    unsigned, unsigned shared, CUstream, void** parameters, void**) {
  if (context.fault != CUDA_SUCCESS) return context.fault;
  const auto& function = *reinterpret_cast<const Function*>(handle);
  if (ctas == 0 || lanes == 0 || lanes > most_threads || shared > function.most_dynamic_shared)
    return CUDA_ERROR_INVALID_VALUE;
  append_to_log("PTXLAT_STANDIN_LAUNCH_LOG", function.name);
  if (std::getenv("PTXLAT_STANDIN_LAUNCH_SHAPES"))
    append_to_log("PTXLAT_STANDIN_LAUNCH_SHAPES", shape_line(function, ctas, lanes, shared, parameters));
  if (setting_names("PTXLAT_STANDIN_HANG", function.name)) {
    context.is_hung = true;
  } else if (setting_names("PTXLAT_STANDIN_FAULT", function.name)) {
    context.fault = CUDA_ERROR_ILLEGAL_ADDRESS;  // the launch itself succeeds: a fault is seen by what comes after it
  } else {
    write_slots(function, *static_cast<CUdeviceptr*>(parameters[0]), ctas, lanes);
  }
  return CUDA_SUCCESS;
}

STANDIN_API CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  auto* link = new Link;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(values[i]);
    if (options[i] == CU_JIT_OPTIMIZATION_LEVEL) link->level = static_cast<int>(number);
    if (options[i] == CU_JIT_TARGET) link->target = target_name(number);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) link->error_log = static_cast<char*>(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) link->error_log_bytes = number;
  }
  *state = reinterpret_cast<CUlinkState>(link);
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType, void* data, std::size_t size, const char*,
                                      unsigned, CUjit_option*, void**) {
  reinterpret_cast<Link*>(state)->ptx.assign(static_cast<const char*>(data), size - 1);
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuLinkComplete(CUlinkState state, void** cubin, std::size_t* size) {
  auto& link = *reinterpret_cast<Link*>(state);
  if (setting_names("PTXLAT_STANDIN_CRASH_JIT", link.ptx)) abort();
  if (setting_names("PTXLAT_STANDIN_HANG_JIT", link.ptx)) hang();
  link.assembled = standin::assemble(link.ptx, link.target, link.level);
  if (link.assembled.result != CUDA_SUCCESS && link.error_log_bytes > 0)
    std::strncpy(link.error_log, link.assembled.log.c_str(), link.error_log_bytes - 1);
  *cubin = link.assembled.cubin.data();
  *size = link.assembled.cubin.size();
  return link.assembled.result;
}
STANDIN_API CUresult cuLinkDestroy(CUlinkState state) { return delete reinterpret_cast<Link*>(state), CUDA_SUCCESS; }

STANDIN_API int nvmlInit_v2() { return 0; }
STANDIN_API int nvmlShutdown() { return 0; }
STANDIN_API int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  const char* wanted = std::getenv("PTXLAT_STANDIN_DRIVER_VERSION");
  std::strncpy(version, wanted && *wanted ? wanted : "0.0.standin", size);
  return 0;
}
