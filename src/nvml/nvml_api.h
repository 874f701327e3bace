// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ptxlat::nvml {

// The part of NVML that ptxlat uses, declared here so that it builds without a CUDA toolkit. Names, values and layouts
// are those of nvml.h of CUDA 13.0. Only functions that read are here: ptxlat changes no setting of a GPU.
using nvmlReturn_t = int;
using nvmlDevice_t = struct nvmlDevice_st*;
inline constexpr nvmlReturn_t NVML_SUCCESS = 0;
inline constexpr nvmlReturn_t NVML_ERROR_NOT_SUPPORTED = 3;
inline constexpr nvmlReturn_t NVML_ERROR_NO_PERMISSION = 4;
inline constexpr nvmlReturn_t NVML_ERROR_INSUFFICIENT_SIZE = 7;
inline constexpr nvmlReturn_t NVML_ERROR_FUNCTION_NOT_FOUND = 13;

inline constexpr int NVML_FEATURE_ENABLED = 1;
inline constexpr int NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1;
inline constexpr int NVML_VOLATILE_ECC = 0;
inline constexpr int NVML_PERF_POLICY_POWER = 0;
inline constexpr int NVML_PERF_POLICY_THERMAL = 1;

// nvmlClocksEventReasons: why the clocks are not higher.
inline constexpr std::uint64_t nvmlClocksEventReasonGpuIdle = 0x1;
inline constexpr std::uint64_t nvmlClocksEventReasonApplicationsClocksSetting = 0x2;
inline constexpr std::uint64_t nvmlClocksEventReasonSwPowerCap = 0x4;
inline constexpr std::uint64_t nvmlClocksThrottleReasonHwSlowdown = 0x8;
inline constexpr std::uint64_t nvmlClocksEventReasonSyncBoost = 0x10;
inline constexpr std::uint64_t nvmlClocksEventReasonSwThermalSlowdown = 0x20;
inline constexpr std::uint64_t nvmlClocksThrottleReasonHwThermalSlowdown = 0x40;
inline constexpr std::uint64_t nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80;
inline constexpr std::uint64_t nvmlClocksEventReasonDisplayClockSetting = 0x100;

// For the functions whose names end with _v2 and _v3.
struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
};

struct nvmlViolationTime_t {
  unsigned long long referenceTime;
  unsigned long long violationTime;  // ns since the driver was loaded
};

// A function that an old library lacks returns NVML_ERROR_FUNCTION_NOT_FOUND.
struct NvmlApi {
  nvmlReturn_t (*nvmlInit_v2)();
  nvmlReturn_t (*nvmlShutdown)();
  const char* (*nvmlErrorString)(nvmlReturn_t);
  nvmlReturn_t (*nvmlDeviceGetHandleByUUID)(const char* uuid, nvmlDevice_t* device);
  nvmlReturn_t (*nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(nvmlDevice_t part, nvmlDevice_t* whole);
  nvmlReturn_t (*compute_processes)(nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* processes);
  nvmlReturn_t (*graphics_processes)(nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* processes);
  nvmlReturn_t (*mps_processes)(nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* processes);
  nvmlReturn_t (*nvmlSystemGetProcessName)(unsigned pid, char* name, unsigned length);
  nvmlReturn_t (*nvmlDeviceGetMigMode)(nvmlDevice_t device, unsigned* current, unsigned* pending);
  nvmlReturn_t (*nvmlDeviceGetDisplayActive)(nvmlDevice_t device, int* is_active);
  nvmlReturn_t (*nvmlDeviceGetEccMode)(nvmlDevice_t device, int* current, int* pending);
  nvmlReturn_t (*nvmlDeviceGetTotalEccErrors)(nvmlDevice_t device, int type, int counter, unsigned long long* errors);
  nvmlReturn_t (*clock_event_reasons)(nvmlDevice_t device, unsigned long long* reasons);
  nvmlReturn_t (*nvmlDeviceGetViolationStatus)(nvmlDevice_t device, int policy, nvmlViolationTime_t* time);
};

// Opens libnvidia-ml.so.1, or what $PTXLAT_LIBNVML names, and starts it. Empty if that failed, with the reason in
// `why`; nothing else is thrown.
bool open_nvml(NvmlApi& api, std::string& why);

}  // namespace ptxlat::nvml
