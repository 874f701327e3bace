// SPDX-License-Identifier: Apache-2.0

// A driver library that fails: it hands every call to the stand-in (PTXLAT_FAULTY_REAL names it) but for those that
// PTXLAT_FAULTY_CALLS describes, and is NVML and CUPTI, too.
//   PTXLAT_FAULTY_CALLS   "FUNCTION FROM COUNT ANSWER": calls FROM to FROM + COUNT - 1 of the function, counted from 0
//                         over all processes, answer ANSWER and do nothing else. 0 is a lie: "success", and nothing
//                         was written. FUNCTION may end with * for all that begin so.
//   PTXLAT_FAULTY_COUNTER a file in which the processes count the calls
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "counters/cupti_api.h"
#include "gpu/cuda_api.h"
#include "nvml/nvml_api.h"

namespace {

struct Plan {
  std::string function;
  long from = 0, count = 0;
  int answer = 0;

  bool names(const std::string& called) const {
    return function.ends_with('*') ? called.starts_with(function.substr(0, function.size() - 1)) : called == function;
  }
};

const std::optional<Plan>& plan() {
  static const std::optional<Plan> read = []() -> std::optional<Plan> {
    const char* text = std::getenv("PTXLAT_FAULTY_CALLS");
    Plan wanted;
    if (!text || !(std::istringstream(text) >> wanted.function >> wanted.from >> wanted.count >> wanted.answer))
      return {};
    return wanted;
  }();
  return read;
}

// One byte a call: O_APPEND makes the file's size a counter that all processes share.
long calls_before() {
  static const int file = open(std::getenv("PTXLAT_FAULTY_COUNTER"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || write(file, "", 1) != 1) abort();
  return lseek(file, 0, SEEK_CUR) - 1;
}

std::optional<int> answer_of(const char* function) {
  if (!plan() || !plan()->names(function)) return {};
  const long call = calls_before();
  if (call < plan()->from || call >= plan()->from + plan()->count) return {};
  return plan()->answer;
}

void* real_symbol(const char* symbol) {
  static void* const library = dlopen(std::getenv("PTXLAT_FAULTY_REAL"), RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, symbol) : nullptr;
}

template <typename Name, typename Function>
struct Faulty;
template <typename Name, typename... Parameters>
struct Faulty<Name, int (*)(Parameters...)> {
  static int call(Parameters... parameters) {
    if (const auto answer = answer_of(Name::text)) return *answer;
    static const auto real = reinterpret_cast<int (*)(Parameters...)>(real_symbol(Name::text));
    return real ? real(parameters...) : 500;  // CUDA_ERROR_NOT_FOUND, and an error for NVML and CUPTI as well
  }
};

}  // namespace

// The exported function is declared without its parameters: the resolver says which function the symbol stands for.
#define FORWARD(API, MEMBER, SYMBOL)                                                                  \
  namespace {                                                                                         \
  struct Name_##SYMBOL {                                                                              \
    static constexpr const char* text = #SYMBOL;                                                      \
  };                                                                                                  \
  }                                                                                                   \
  extern "C" auto resolve_##SYMBOL()->void (*)() {                                                    \
    return reinterpret_cast<void (*)()>(&Faulty<Name_##SYMBOL, decltype(ptxlat::API::MEMBER)>::call); \
  }                                                                                                   \
  extern "C" __attribute__((visibility("default"), ifunc("resolve_" #SYMBOL))) void SYMBOL();

#define CUDA(NAME) FORWARD(gpu::CudaApi, NAME, NAME)
#define CUDA_V2(NAME) FORWARD(gpu::CudaApi, NAME, NAME##_v2)
#define NVML(MEMBER, SYMBOL) FORWARD(nvml::NvmlApi, MEMBER, SYMBOL)
#define CUPTI(NAME) FORWARD(counters::CuptiApi, NAME, NAME)

CUDA(cuInit)
CUDA(cuDriverGetVersion)
CUDA(cuGetErrorName)
CUDA(cuGetErrorString)
CUDA(cuDeviceGetCount)
CUDA(cuDeviceGet)
CUDA(cuDeviceGetName)
CUDA_V2(cuDeviceGetUuid)
CUDA(cuDeviceGetAttribute)
CUDA(cuDevicePrimaryCtxRetain)
CUDA_V2(cuDevicePrimaryCtxRelease)
CUDA(cuCtxSetCurrent)
CUDA(cuModuleLoadData)
CUDA(cuModuleLoadDataEx)
CUDA(cuModuleUnload)
CUDA(cuModuleGetFunction)
CUDA_V2(cuMemAlloc)
CUDA_V2(cuMemFree)
CUDA(cuMemHostAlloc)
CUDA(cuMemFreeHost)
CUDA_V2(cuMemcpyHtoD)
CUDA_V2(cuMemcpyHtoDAsync)
CUDA_V2(cuMemcpyDtoDAsync)
CUDA_V2(cuMemcpyDtoHAsync)
CUDA(cuMemsetD8Async)
CUDA(cuStreamCreate)
CUDA_V2(cuStreamDestroy)
CUDA(cuStreamSynchronize)
CUDA(cuFuncSetAttribute)
CUDA(cuLaunchKernel)
CUDA_V2(cuLinkCreate)
CUDA_V2(cuLinkAddData)
CUDA(cuLinkComplete)
CUDA(cuLinkDestroy)
CUDA(cuMemGetAllocationGranularity)
CUDA(cuFuncSetSharedMemConfig)
CUDA_V2(cuDeviceTotalMem)
CUDA_V2(cuArray3DCreate)
CUDA(cuArrayDestroy)
CUDA_V2(cuMemcpy3D)
CUDA(cuTexObjectCreate)
CUDA(cuTexObjectDestroy)
CUDA(cuSurfObjectCreate)
CUDA(cuSurfObjectDestroy)
CUDA(cuTensorMapEncodeTiled)
CUDA(cuTensorMapEncodeIm2col)
CUDA(cuCtxSetLimit)
CUDA(cuCtxResetPersistingL2Cache)
CUDA(cuStreamSetAttribute)
CUDA(cuCtxGetDevice)
CUDA(cuMemAddressReserve)
CUDA(cuMemAddressFree)
CUDA(cuMemCreate)
CUDA(cuMemRelease)
CUDA(cuMemMap)
CUDA(cuMemUnmap)
CUDA(cuMemSetAccess)
CUDA_V2(cuStreamBeginCapture)
CUDA(cuStreamEndCapture)
FORWARD(gpu::CudaApi, cuGraphInstantiate, cuGraphInstantiateWithFlags)
CUDA(cuGraphLaunch)
CUDA(cuGraphDestroy)
CUDA(cuGraphExecDestroy)
NVML(nvmlInit_v2, nvmlInit_v2)
NVML(nvmlShutdown, nvmlShutdown)
NVML(nvmlDeviceGetHandleByUUID, nvmlDeviceGetHandleByUUID)
NVML(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, nvmlDeviceGetDeviceHandleFromMigDeviceHandle)
NVML(compute_processes, nvmlDeviceGetComputeRunningProcesses_v3)
NVML(graphics_processes, nvmlDeviceGetGraphicsRunningProcesses_v3)
NVML(mps_processes, nvmlDeviceGetMPSComputeRunningProcesses_v3)
NVML(nvmlSystemGetProcessName, nvmlSystemGetProcessName)
NVML(nvmlDeviceGetMigMode, nvmlDeviceGetMigMode)
NVML(nvmlDeviceGetDisplayActive, nvmlDeviceGetDisplayActive)
NVML(nvmlDeviceGetEccMode, nvmlDeviceGetEccMode)
NVML(nvmlDeviceGetTotalEccErrors, nvmlDeviceGetTotalEccErrors)
NVML(clock_event_reasons, nvmlDeviceGetCurrentClocksEventReasons)
NVML(nvmlDeviceGetViolationStatus, nvmlDeviceGetViolationStatus)
CUPTI(cuptiGetVersion)
CUPTI(cuptiGetResultString)
CUPTI(cuptiProfilerInitialize)
CUPTI(cuptiProfilerDeviceSupported)
CUPTI(cuptiProfilerGetCounterAvailability)
CUPTI(cuptiDeviceGetChipName)
CUPTI(cuptiProfilerHostInitialize)
CUPTI(cuptiProfilerHostGetBaseMetrics)
CUPTI(cuptiProfilerHostConfigAddMetrics)
CUPTI(cuptiProfilerHostGetConfigImageSize)
CUPTI(cuptiProfilerHostGetConfigImage)
CUPTI(cuptiProfilerHostEvaluateToGpuValues)
CUPTI(cuptiRangeProfilerEnable)
CUPTI(cuptiRangeProfilerGetCounterDataSize)
CUPTI(cuptiRangeProfilerCounterDataImageInitialize)
CUPTI(cuptiRangeProfilerSetConfig)
CUPTI(cuptiRangeProfilerStart)
CUPTI(cuptiRangeProfilerStop)
CUPTI(cuptiRangeProfilerDecodeData)
CUPTI(cuptiRangeProfilerGetCounterDataInfo)

// Declared where it is used (src/gpu/device.cpp).
namespace ptxlat {
struct DriverVersion {
  int (*nvmlSystemGetDriverVersion)(char* version, unsigned length);
};
}  // namespace ptxlat
FORWARD(DriverVersion, nvmlSystemGetDriverVersion, nvmlSystemGetDriverVersion)

extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(int result) {
  const auto real = reinterpret_cast<const char* (*)(int)>(real_symbol("nvmlErrorString"));
  return real ? real(result) : "unknown error";
}
