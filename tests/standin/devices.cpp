// SPDX-License-Identifier: Apache-2.0

// The stand-in's devices, their attributes and contexts, from the script.
#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "context.h"
#include "script.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace standin {
namespace {

thread_local Context* current = nullptr;

// Null for a number that no device has.
const Device* device_of(CUdevice device) {
  const auto& devices = script().devices;
  return device >= 0 && static_cast<std::size_t>(device) < devices.size() ? &devices[device] : nullptr;
}

}  // namespace

Context& context_of(int device) {
  static std::mutex mutex;
  static std::map<int, Context> contexts;
  const std::scoped_lock lock(mutex);
  Context& context = contexts[device];
  context.device = device;
  return context;
}

Context& context() { return current ? *current : context_of(0); }

}  // namespace standin

using namespace standin;

std::size_t standin::attribute(CUdevice_attribute which) {
  return static_cast<std::size_t>(script().devices.at(context().device).attributes.at(which));
}

STANDIN_API CUresult cuInit(unsigned) {
  static const bool has_started = [] {
    if (const char* delay = std::getenv("PTXLAT_STANDIN_START_MS"))
      std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(delay)));
    if (const char* file = std::getenv("PTXLAT_STANDIN_STOP_ONCE")) {
      if (open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) >= 0) raise(SIGSTOP);
    }
    return true;
  }();
  static_cast<void>(has_started);
  if (!script().is_valid) return error_unknown;
  if (std::getenv("PTXLAT_STANDIN_STUB")) return CUDA_ERROR_STUB_LIBRARY;
  return std::getenv("PTXLAT_STANDIN_NO_DEVICE") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceGetCount(int* count) {
  const bool sees_any = std::getenv("PTXLAT_STANDIN_INVISIBLE") == nullptr;
  return *count = sees_any ? static_cast<int>(script().devices.size()) : 0, CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device_of(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  return *device = ordinal, CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  if (!device_of(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::strncpy(name, device_of(device)->name.c_str(), static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  if (!device_of(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::copy_n(device_of(device)->uuid.begin(), sizeof uuid->bytes, uuid->bytes);
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }
STANDIN_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!device_of(device)) return CUDA_ERROR_INVALID_DEVICE;
  const auto& attributes = device_of(device)->attributes;
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return CUDA_ERROR_INVALID_VALUE;
  return *value = found->second, CUDA_SUCCESS;
}
STANDIN_API CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  if (!device_of(device)) return CUDA_ERROR_INVALID_DEVICE;
  return *bytes = device_of(device)->memory, CUDA_SUCCESS;
}
STANDIN_API CUresult cuDevicePrimaryCtxRetain(CUcontext* handle, CUdevice device) {
  if (!device_of(device) || is_gone(device)) return CUDA_ERROR_INVALID_DEVICE;
  *handle = reinterpret_cast<CUcontext>(&context_of(device));
  return context_of(device).fault;
}
STANDIN_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return device_of(device) ? context_of(device).fault : CUDA_ERROR_INVALID_DEVICE;
}
STANDIN_API CUresult cuCtxSetCurrent(CUcontext handle) {
  current = reinterpret_cast<Context*>(handle);
  return context().fault;
}
