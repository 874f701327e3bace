// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>

#include "base/environment.h"
#include "base/error.h"

namespace ptxlat::gpu {
namespace {

template <typename Function>
void find_symbol(void* library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (!function)
    throw Error(ExitCode::no_gpu, fmt::format("the NVIDIA driver is too old: libcuda has no {}", symbol),
                "Install a driver for CUDA 11.4 or newer. " + without_gpu_advice());
}

// Missing in a driver that is too old for features that only some kernels need.
template <typename... Parameters>
void find_optional_symbol(void* library, CUresult (*&function)(Parameters...), const char* symbol) {
  function = reinterpret_cast<CUresult (*)(Parameters...)>(dlsym(library, symbol));
  if (!function) function = [](Parameters...) { return CUDA_ERROR_NOT_SUPPORTED; };
}

// A fault stays: every later call of the process returns it again (method.md, trap 21).
bool is_sticky(CUresult result) { return (result >= 700 && result < 800) || result == 999; }

std::string failure(const CudaApi& api, CUresult result, const char* function, const char* file, int line) {
  return fmt::format("{} failed with {} ({}:{})", function, driver_words(api, result), file, line);
}

}  // namespace

std::string without_gpu_advice() {
  return "`ptxlat static` makes the table from the assembler's schedule and needs no GPU; `ptxlat doctor` shows what "
         "this machine has.";
}

CudaApi load_cuda_api() {
  void* library = dlopen(environment_or("PTXLAT_LIBCUDA", "libcuda.so.1"), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(ExitCode::no_gpu, fmt::format("no NVIDIA driver was found: {}", dlerror()),
                "Measuring needs an NVIDIA GPU and its driver, which installs libcuda.so.1. " + without_gpu_advice());

  CudaApi api{};
  api.library = library;
  find_symbol(library, api.cuInit, "cuInit");
  find_symbol(library, api.cuDriverGetVersion, "cuDriverGetVersion");
  find_symbol(library, api.cuGetErrorName, "cuGetErrorName");
  find_symbol(library, api.cuGetErrorString, "cuGetErrorString");
  find_symbol(library, api.cuDeviceGetCount, "cuDeviceGetCount");
  find_symbol(library, api.cuDeviceGet, "cuDeviceGet");
  find_symbol(library, api.cuDeviceGetName, "cuDeviceGetName");
  find_symbol(library, api.cuDeviceGetUuid, "cuDeviceGetUuid_v2");
  find_symbol(library, api.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  find_symbol(library, api.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find_symbol(library, api.cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find_symbol(library, api.cuCtxSetCurrent, "cuCtxSetCurrent");
  find_symbol(library, api.cuModuleLoadData, "cuModuleLoadData");
  find_symbol(library, api.cuModuleLoadDataEx, "cuModuleLoadDataEx");
  find_symbol(library, api.cuModuleUnload, "cuModuleUnload");
  find_symbol(library, api.cuModuleGetFunction, "cuModuleGetFunction");
  find_symbol(library, api.cuMemAlloc, "cuMemAlloc_v2");
  find_symbol(library, api.cuMemFree, "cuMemFree_v2");
  find_symbol(library, api.cuMemHostAlloc, "cuMemHostAlloc");
  find_symbol(library, api.cuMemFreeHost, "cuMemFreeHost");
  find_symbol(library, api.cuMemcpyHtoD, "cuMemcpyHtoD_v2");
  find_symbol(library, api.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
  find_symbol(library, api.cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  find_symbol(library, api.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
  find_symbol(library, api.cuMemsetD8Async, "cuMemsetD8Async");
  find_symbol(library, api.cuStreamCreate, "cuStreamCreate");
  find_symbol(library, api.cuStreamDestroy, "cuStreamDestroy_v2");
  find_symbol(library, api.cuStreamSynchronize, "cuStreamSynchronize");
  find_symbol(library, api.cuFuncSetAttribute, "cuFuncSetAttribute");
  find_symbol(library, api.cuLaunchKernel, "cuLaunchKernel");
  find_symbol(library, api.cuLinkCreate, "cuLinkCreate_v2");
  find_symbol(library, api.cuLinkAddData, "cuLinkAddData_v2");
  find_symbol(library, api.cuLinkComplete, "cuLinkComplete");
  find_symbol(library, api.cuLinkDestroy, "cuLinkDestroy");
  find_optional_symbol(library, api.cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity");
  find_optional_symbol(library, api.cuFuncSetSharedMemConfig, "cuFuncSetSharedMemConfig");
  find_optional_symbol(library, api.cuDeviceTotalMem, "cuDeviceTotalMem_v2");
  find_optional_symbol(library, api.cuArray3DCreate, "cuArray3DCreate_v2");
  find_optional_symbol(library, api.cuArrayDestroy, "cuArrayDestroy");
  find_optional_symbol(library, api.cuMemcpy3D, "cuMemcpy3D_v2");
  find_optional_symbol(library, api.cuTexObjectCreate, "cuTexObjectCreate");
  find_optional_symbol(library, api.cuTexObjectDestroy, "cuTexObjectDestroy");
  find_optional_symbol(library, api.cuSurfObjectCreate, "cuSurfObjectCreate");
  find_optional_symbol(library, api.cuSurfObjectDestroy, "cuSurfObjectDestroy");
  find_optional_symbol(library, api.cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  find_optional_symbol(library, api.cuTensorMapEncodeIm2col, "cuTensorMapEncodeIm2col");
  find_optional_symbol(library, api.cuCtxSetLimit, "cuCtxSetLimit");
  find_optional_symbol(library, api.cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache");
  find_optional_symbol(library, api.cuStreamSetAttribute, "cuStreamSetAttribute");
  find_optional_symbol(library, api.cuCtxGetDevice, "cuCtxGetDevice");
  find_optional_symbol(library, api.cuMemAddressReserve, "cuMemAddressReserve");
  find_optional_symbol(library, api.cuMemAddressFree, "cuMemAddressFree");
  find_optional_symbol(library, api.cuMemCreate, "cuMemCreate");
  find_optional_symbol(library, api.cuMemRelease, "cuMemRelease");
  find_optional_symbol(library, api.cuMemMap, "cuMemMap");
  find_optional_symbol(library, api.cuMemUnmap, "cuMemUnmap");
  find_optional_symbol(library, api.cuMemSetAccess, "cuMemSetAccess");
  find_optional_symbol(library, api.cuStreamBeginCapture, "cuStreamBeginCapture_v2");
  find_optional_symbol(library, api.cuStreamEndCapture, "cuStreamEndCapture");
  find_optional_symbol(library, api.cuGraphInstantiate, "cuGraphInstantiateWithFlags");
  find_optional_symbol(library, api.cuGraphLaunch, "cuGraphLaunch");
  find_optional_symbol(library, api.cuGraphDestroy, "cuGraphDestroy");
  find_optional_symbol(library, api.cuGraphExecDestroy, "cuGraphExecDestroy");
  return api;
}

std::string driver_words(const CudaApi& api, CUresult result) {
  const char* name = nullptr;
  const char* words = nullptr;
  api.cuGetErrorName(result, &name);
  api.cuGetErrorString(result, &words);
  if (!name) return fmt::format("CUDA error {}", result);
  return words ? fmt::format("{}: {}", name, words) : name;
}

void check_cuda(const CudaApi& api, CUresult result, const char* function, const char* file, int line) {
  if (result == CUDA_SUCCESS) return;
  throw CudaError(result, driver_words(api, result), failure(api, result, function, file, line));
}

void report_cuda(const CudaApi& api, CUresult result, const char* function, const char* file, int line) noexcept {
  if (result == CUDA_SUCCESS || is_sticky(result)) return;
  try {
    std::fprintf(stderr, "ptxlat: %s\n", failure(api, result, function, file, line).c_str());
  } catch (...) {
    std::fputs("ptxlat: out of memory while reporting an error of the driver\n", stderr);
  }
}

}  // namespace ptxlat::gpu
