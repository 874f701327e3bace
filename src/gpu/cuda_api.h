// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/cuda_descriptors.h"

namespace ptxlat::gpu {

// The part of the CUDA Driver API that ptxlat uses, declared here so that it builds without a CUDA toolkit. Names and
// values are those of cuda.h, which is never included together with this file.
using CUresult = int;
using CUdevice = int;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUstreamCaptureMode = int;
using CUlinkState = struct CUlinkState_st*;
using CUjit_option = int;
using CUjitInputType = int;
using CUdevice_attribute = int;
using CUfunction_attribute = int;
using CUsharedconfig = int;
using CUlimit = int;
using CUstreamAttrID = int;
struct CUuuid {
  unsigned char bytes[16];
};

inline constexpr CUresult CUDA_SUCCESS = 0;
inline constexpr CUresult CUDA_ERROR_INVALID_VALUE = 1;
inline constexpr CUresult CUDA_ERROR_NOT_INITIALIZED = 3;
inline constexpr CUresult CUDA_ERROR_STUB_LIBRARY = 34;
inline constexpr CUresult CUDA_ERROR_NO_DEVICE = 100;
inline constexpr CUresult CUDA_ERROR_INVALID_DEVICE = 101;
inline constexpr CUresult CUDA_ERROR_INVALID_IMAGE = 200;
inline constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
inline constexpr CUresult CUDA_ERROR_INVALID_CONTEXT = 201;
inline constexpr CUresult CUDA_ERROR_INVALID_PTX = 218;
inline constexpr CUresult CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221;
inline constexpr CUresult CUDA_ERROR_NOT_FOUND = 500;
inline constexpr CUresult CUDA_ERROR_ILLEGAL_ADDRESS = 700;
inline constexpr CUresult CUDA_ERROR_LAUNCH_TIMEOUT = 702;
inline constexpr CUresult CUDA_ERROR_LAUNCH_FAILED = 719;
inline constexpr CUresult CUDA_ERROR_NOT_SUPPORTED = 801;

inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108;
inline constexpr CUdevice_attribute CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109;

inline constexpr CUfunction_attribute CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
inline constexpr CUfunction_attribute CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9;
inline constexpr CUfunction_attribute CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14;

inline constexpr CUsharedconfig CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1;
inline constexpr CUsharedconfig CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2;

inline constexpr CUjit_option CU_JIT_INFO_LOG_BUFFER = 3;
inline constexpr CUjit_option CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4;
inline constexpr CUjit_option CU_JIT_ERROR_LOG_BUFFER = 5;
inline constexpr CUjit_option CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
inline constexpr CUjit_option CU_JIT_OPTIMIZATION_LEVEL = 7;
inline constexpr CUjit_option CU_JIT_TARGET = 9;
// A CUjit_target is the number of the architecture, plus one of these for sm_90a and for sm_100f.
inline constexpr int CU_COMPUTE_ACCELERATED_TARGET_BASE = 0x10000;
inline constexpr int CU_COMPUTE_FAMILY_TARGET_BASE = 0x20000;
inline constexpr CUjitInputType CU_JIT_INPUT_PTX = 1;

inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr CUstreamCaptureMode CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1;

inline constexpr CUlimit CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6;
inline constexpr CUstreamAttrID CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1;

// Every function used, under its name without the version suffix (cuLinkCreate is the symbol cuLinkCreate_v2).
struct CudaApi {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuDriverGetVersion)(int* version);
  CUresult (*cuGetErrorName)(CUresult error, const char** name);
  CUresult (*cuGetErrorString)(CUresult error, const char** words);
  CUresult (*cuDeviceGetCount)(int* count);
  CUresult (*cuDeviceGet)(CUdevice* device, int ordinal);
  CUresult (*cuDeviceGetName)(char* name, int size, CUdevice device);
  CUresult (*cuDeviceGetUuid)(CUuuid* uuid, CUdevice device);
  CUresult (*cuDeviceGetAttribute)(int* value, CUdevice_attribute attribute, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext* context, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice device);
  CUresult (*cuCtxSetCurrent)(CUcontext context);
  CUresult (*cuModuleLoadData)(CUmodule* module, const void* image);
  CUresult (*cuModuleLoadDataEx)(CUmodule* module, const void* image, unsigned option_count, CUjit_option* options,
                                 void** option_values);
  CUresult (*cuModuleUnload)(CUmodule module);
  CUresult (*cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name);
  CUresult (*cuMemAlloc)(CUdeviceptr* address, std::size_t size);
  CUresult (*cuMemFree)(CUdeviceptr address);
  CUresult (*cuMemHostAlloc)(void** address, std::size_t size, unsigned flags);
  CUresult (*cuMemFreeHost)(void* address);
  CUresult (*cuMemcpyHtoD)(CUdeviceptr to, const void* from, std::size_t size);
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr to, const void* from, std::size_t size, CUstream stream);
  CUresult (*cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream stream);
  CUresult (*cuMemcpyDtoHAsync)(void* to, CUdeviceptr from, std::size_t size, CUstream stream);
  CUresult (*cuMemsetD8Async)(CUdeviceptr to, unsigned char value, std::size_t size, CUstream stream);
  CUresult (*cuStreamCreate)(CUstream* stream, unsigned flags);
  CUresult (*cuStreamDestroy)(CUstream stream);
  CUresult (*cuStreamSynchronize)(CUstream stream);
  CUresult (*cuFuncSetAttribute)(CUfunction function, CUfunction_attribute attribute, int value);
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                             unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                             void** parameters, void** extra);
  CUresult (*cuLinkCreate)(unsigned option_count, CUjit_option* options, void** option_values, CUlinkState* state);
  CUresult (*cuLinkAddData)(CUlinkState state, CUjitInputType type, void* data, std::size_t size, const char* name,
                            unsigned option_count, CUjit_option* options, void** option_values);
  CUresult (*cuLinkComplete)(CUlinkState state, void** cubin, std::size_t* size);
  CUresult (*cuLinkDestroy)(CUlinkState state);

  // Functions that an older driver may lack; then they fail with CUDA_ERROR_NOT_SUPPORTED.
  CUresult (*cuMemGetAllocationGranularity)(std::size_t* bytes, const CUmemAllocationProp* memory, int which);
  CUresult (*cuFuncSetSharedMemConfig)(CUfunction function, CUsharedconfig config);
  CUresult (*cuDeviceTotalMem)(std::size_t* bytes, CUdevice device);
  CUresult (*cuArray3DCreate)(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description);
  CUresult (*cuArrayDestroy)(CUarray array);
  CUresult (*cuMemcpy3D)(const CUDA_MEMCPY3D* copy);
  CUresult (*cuTexObjectCreate)(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                                const CUDA_TEXTURE_DESC* description, const CUDA_RESOURCE_VIEW_DESC* view);
  CUresult (*cuTexObjectDestroy)(CUtexObject texture);
  CUresult (*cuSurfObjectCreate)(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource);
  CUresult (*cuSurfObjectDestroy)(CUsurfObject surface);
  CUresult (*cuTensorMapEncodeTiled)(CUtensorMap* map, CUtensorMapDataType type, std::uint32_t rank, void* address,
                                     const std::uint64_t* sizes, const std::uint64_t* strides, const std::uint32_t* box,
                                     const std::uint32_t* element_strides, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                     CUtensorMapFloatOOBfill fill);
  CUresult (*cuTensorMapEncodeIm2col)(CUtensorMap* map, CUtensorMapDataType type, std::uint32_t rank, void* address,
                                      const std::uint64_t* sizes, const std::uint64_t* strides, const int* lower_corner,
                                      const int* upper_corner, std::uint32_t channels_per_pixel,
                                      std::uint32_t pixels_per_column, const std::uint32_t* element_strides,
                                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                      CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
  CUresult (*cuCtxSetLimit)(CUlimit limit, std::size_t value);
  CUresult (*cuCtxResetPersistingL2Cache)();
  CUresult (*cuStreamSetAttribute)(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value);
  CUresult (*cuCtxGetDevice)(CUdevice* device);
  CUresult (*cuMemAddressReserve)(CUdeviceptr* address, std::size_t size, std::size_t alignment, CUdeviceptr wish,
                                  unsigned long long flags);
  CUresult (*cuMemAddressFree)(CUdeviceptr address, std::size_t size);
  CUresult (*cuMemCreate)(CUmemGenericAllocationHandle* memory, std::size_t size, const CUmemAllocationProp* kind,
                          unsigned long long flags);
  CUresult (*cuMemRelease)(CUmemGenericAllocationHandle memory);
  CUresult (*cuMemMap)(CUdeviceptr address, std::size_t size, std::size_t offset, CUmemGenericAllocationHandle memory,
                       unsigned long long flags);
  CUresult (*cuMemUnmap)(CUdeviceptr address, std::size_t size);
  CUresult (*cuStreamBeginCapture)(CUstream stream, CUstreamCaptureMode mode);
  CUresult (*cuStreamEndCapture)(CUstream stream, CUgraph* graph);
  CUresult (*cuGraphInstantiate)(CUgraphExec* graph, CUgraph description, unsigned long long flags);
  CUresult (*cuGraphLaunch)(CUgraphExec graph, CUstream stream);
  CUresult (*cuGraphDestroy)(CUgraph graph);
  CUresult (*cuGraphExecDestroy)(CUgraphExec graph);
  CUresult (*cuMemSetAccess)(CUdeviceptr address, std::size_t size, const CUmemAccessDesc* access, std::size_t count);

  void* library;  // from dlopen; never closed, because the driver leaves threads and exit handlers behind
};

// Opens libcuda.so.1, or the library named by $PTXLAT_LIBCUDA. Error{no_gpu} if there is no driver.
CudaApi load_cuda_api();

// The advice in every Error{no_gpu}.
std::string without_gpu_advice();

// A Driver API call that failed.
//   driver_words   "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"; without file and line, so
//   that it can be put in a table
class CudaError : public std::runtime_error {
 public:
  CudaError(CUresult code, std::string words, const std::string& message)
      : std::runtime_error(message), result(code), driver_words(std::move(words)) {}

  CUresult result;
  std::string driver_words;
};

std::string driver_words(const CudaApi& api, CUresult result);

void check_cuda(const CudaApi& api, CUresult result, const char* function, const char* file, int line);
void report_cuda(const CudaApi& api, CUresult result, const char* function, const char* file, int line) noexcept;

// Calls a function of the Driver API; PTXLAT_CUDA throws CudaError. The NOEXCEPT twin is for destructors: it writes the
// failure to standard error, except for one that an earlier fault left behind and that PTXLAT_CUDA has already thrown.
#define PTXLAT_CUDA(api, function, ...) \
  ::ptxlat::gpu::check_cuda((api), (api).function(__VA_ARGS__), #function, __FILE__, __LINE__)
#define PTXLAT_CUDA_NOEXCEPT(api, function, ...) \
  ::ptxlat::gpu::report_cuda((api), (api).function(__VA_ARGS__), #function, __FILE__, __LINE__)

}  // namespace ptxlat::gpu
