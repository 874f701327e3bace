// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "gpu/cuda_api.h"

namespace ptxlat::counters {

// Hardware counters are not available, or no longer: what() says why, `advice` how to get them. This only costs the
// counters' numbers; the command continues. Its code is `missing_tool` if a different library may work and `no_gpu` if
// the device or its driver forbids it.
class Unavailable : public Error {
 public:
  Unavailable(const std::string& reason, std::string how_to_get_them, ExitCode code = ExitCode::missing_tool)
      : Error(code, reason, std::move(how_to_get_them)) {}
};

// The driver reserves counters for the administrator.
Unavailable forbidden();

// The part of CUPTI that ptxlat uses, declared here so that it builds without a CUDA toolkit: the range profiler and
// its host side, introduced in CUDA 12.6. Names, values and layouts are those of cupti_profiler_target.h,
// cupti_profiler_host.h, cupti_range_profiler.h and cupti_target.h of CUDA 13.0. Each structure begins with its size,
// by which a library knows which fields the caller has: parameters_of() sets it.
using CUptiResult = int;
inline constexpr CUptiResult CUPTI_SUCCESS = 0;
inline constexpr CUptiResult CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35;
inline constexpr CUptiResult CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40;

inline constexpr int CUPTI_PROFILER_CONFIGURATION_SUPPORTED = 3;
inline constexpr int CUPTI_PROFILER_RANGE_PROFILING = 0;
inline constexpr int CUPTI_PROFILER_TYPE_RANGE_PROFILER = 0;
inline constexpr int CUPTI_METRIC_TYPE_COUNTER = 0;
inline constexpr int CUPTI_AutoRange = 1;
inline constexpr int CUPTI_KernelReplay = 2;

using HostObject = struct CUpti_Profiler_Host_Object;
using RangeProfiler = struct CUpti_RangeProfiler_Object;

struct InitializeParams {
  std::size_t structSize;
  void* pPriv;
};
struct DeviceSupportedParams {
  std::size_t structSize;
  void* pPriv;
  gpu::CUdevice cuDevice;
  int isSupported, architecture, sli, vGpu, confidentialCompute, cmp, wsl;
  int api;
};
struct CounterAvailabilityParams {
  std::size_t structSize;
  void* pPriv;
  gpu::CUcontext ctx;
  std::size_t counterAvailabilityImageSize;
  std::uint8_t* pCounterAvailabilityImage;
};
struct ChipNameParams {
  std::size_t structSize;
  void* pPriv;
  std::size_t deviceIndex;
  const char* pChipName;
};
struct HostInitializeParams {
  std::size_t structSize;
  void* pPriv;
  int profilerType;
  const char* pChipName;
  const std::uint8_t* pCounterAvailabilityImage;
  HostObject* pHostObject;
};
struct BaseMetricsParams {
  std::size_t structSize;
  void* pPriv;
  HostObject* pHostObject;
  int metricType;
  const char** ppMetricNames;
  std::size_t numMetrics;
};
struct AddMetricsParams {
  std::size_t structSize;
  void* pPriv;
  HostObject* pHostObject;
  const char** ppMetricNames;
  std::size_t numMetrics;
};
struct ConfigImageSizeParams {
  std::size_t structSize;
  void* pPriv;
  HostObject* pHostObject;
  std::size_t configImageSize;
};
struct ConfigImageParams {
  std::size_t structSize;
  void* pPriv;
  HostObject* pHostObject;
  std::size_t configImageSize;
  std::uint8_t* pConfigImage;
};
struct EvaluateParams {
  std::size_t structSize;
  void* pPriv;
  HostObject* pHostObject;
  const std::uint8_t* pCounterDataImage;
  std::size_t counterDataImageSize;
  std::size_t rangeIndex;
  const char** ppMetricNames;
  std::size_t numMetrics;
  double* pMetricValues;
};
struct EnableParams {
  std::size_t structSize;
  void* pPriv;
  gpu::CUcontext ctx;
  RangeProfiler* pRangeProfilerObject;
};
struct CounterDataSizeParams {
  std::size_t structSize;
  void* pPriv;
  RangeProfiler* pRangeProfilerObject;
  const char** pMetricNames;
  std::size_t numMetrics;
  std::size_t maxNumOfRanges;
  std::uint32_t maxNumRangeTreeNodes;
  std::size_t counterDataSize;
};
struct CounterDataImageParams {
  std::size_t structSize;
  void* pPriv;
  RangeProfiler* pRangeProfilerObject;
  std::size_t counterDataSize;
  std::uint8_t* pCounterData;
};
struct SetConfigParams {
  std::size_t structSize;
  void* pPriv;
  RangeProfiler* pRangeProfilerObject;
  std::size_t configSize;
  const std::uint8_t* pConfig;
  std::size_t counterDataImageSize;
  std::uint8_t* pCounterDataImage;
  int range;
  int replayMode;
  std::size_t maxRangesPerPass;
  std::uint16_t numNestingLevels;
  std::uint16_t minNestingLevel;
  std::size_t passIndex;
  std::uint16_t targetNestingLevel;
};
struct StartParams {
  std::size_t structSize;
  void* pPriv;
  RangeProfiler* pRangeProfilerObject;
};
struct StopParams {
  std::size_t structSize;
  void* pPriv;
  RangeProfiler* pRangeProfilerObject;
  std::size_t passIndex;
  std::size_t targetNestingLevel;
  std::uint8_t isAllPassSubmitted;
};
struct DecodeDataParams {
  std::size_t structSize;
  void* pPriv;
  RangeProfiler* pRangeProfilerObject;
  std::size_t numOfRangeDropped;
};
struct CounterDataInfoParams {
  std::size_t structSize;
  void* pPriv;
  const std::uint8_t* pCounterDataImage;
  std::size_t counterDataImageSize;
  std::size_t numTotalRanges;
};

// Parameters that are zero except for their size, which ends with the last field, not with the padding after it.
template <class Params, class Field>
Params parameters_of(Field Params::*last) {
  Params parameters{};
  const auto* begin = reinterpret_cast<const char*>(&parameters);
  const auto* end = reinterpret_cast<const char*>(&(parameters.*last) + 1);
  parameters.structSize = static_cast<std::size_t>(end - begin);
  return parameters;
}

struct CuptiApi {
  CUptiResult (*cuptiGetVersion)(std::uint32_t* version);
  CUptiResult (*cuptiGetResultString)(CUptiResult result, const char** name);
  CUptiResult (*cuptiProfilerInitialize)(InitializeParams*);
  CUptiResult (*cuptiProfilerDeviceSupported)(DeviceSupportedParams*);
  CUptiResult (*cuptiProfilerGetCounterAvailability)(CounterAvailabilityParams*);
  CUptiResult (*cuptiDeviceGetChipName)(ChipNameParams*);
  CUptiResult (*cuptiProfilerHostInitialize)(HostInitializeParams*);
  CUptiResult (*cuptiProfilerHostGetBaseMetrics)(BaseMetricsParams*);
  CUptiResult (*cuptiProfilerHostConfigAddMetrics)(AddMetricsParams*);
  CUptiResult (*cuptiProfilerHostGetConfigImageSize)(ConfigImageSizeParams*);
  CUptiResult (*cuptiProfilerHostGetConfigImage)(ConfigImageParams*);
  CUptiResult (*cuptiProfilerHostEvaluateToGpuValues)(EvaluateParams*);
  CUptiResult (*cuptiRangeProfilerEnable)(EnableParams*);
  CUptiResult (*cuptiRangeProfilerGetCounterDataSize)(CounterDataSizeParams*);
  CUptiResult (*cuptiRangeProfilerCounterDataImageInitialize)(CounterDataImageParams*);
  CUptiResult (*cuptiRangeProfilerSetConfig)(SetConfigParams*);
  CUptiResult (*cuptiRangeProfilerStart)(StartParams*);
  CUptiResult (*cuptiRangeProfilerStop)(StopParams*);
  CUptiResult (*cuptiRangeProfilerDecodeData)(DecodeDataParams*);
  CUptiResult (*cuptiRangeProfilerGetCounterDataInfo)(CounterDataInfoParams*);
};

// Opens a libcupti, which is never closed again. Only a worker process may call it: the library hooks into the driver.
// Unavailable if it cannot be opened or lacks a function.
CuptiApi load_cupti_api(const std::filesystem::path& library);

// Throws Unavailable; if permission is missing, says which is needed.
void check_cupti(const CuptiApi& api, CUptiResult result, const char* function);

#define PTXLAT_CUPTI(api, function, parameters) \
  ::ptxlat::counters::check_cupti((api), (api).function(parameters), #function)

// The advice if the library is missing or too old.
std::string library_advice();

}  // namespace ptxlat::counters
