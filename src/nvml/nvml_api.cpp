// SPDX-License-Identifier: Apache-2.0
#include "nvml/nvml_api.h"

#include <dlfcn.h>

#include <initializer_list>

#include "base/environment.h"

namespace ptxlat::nvml {

namespace {

// The first of these symbols that the library has: the name in newer drivers comes first.
template <typename... Parameters>
void find(void* library, nvmlReturn_t (*&function)(Parameters...), std::initializer_list<const char*> symbols) {
  for (const char* symbol : symbols) {
    function = reinterpret_cast<nvmlReturn_t (*)(Parameters...)>(dlsym(library, symbol));
    if (function) return;
  }
  function = [](Parameters...) { return NVML_ERROR_FUNCTION_NOT_FOUND; };
}

}  // namespace

bool open_nvml(NvmlApi& api, std::string& why) {
  void* library = dlopen(environment_or("PTXLAT_LIBNVML", "libnvidia-ml.so.1"), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    why = dlerror();
    return false;
  }
  find(library, api.nvmlInit_v2, {"nvmlInit_v2"});
  find(library, api.nvmlShutdown, {"nvmlShutdown"});
  api.nvmlErrorString = reinterpret_cast<const char* (*)(nvmlReturn_t)>(dlsym(library, "nvmlErrorString"));
  if (!api.nvmlErrorString) api.nvmlErrorString = [](nvmlReturn_t) { return "unknown error"; };
  find(library, api.nvmlDeviceGetHandleByUUID, {"nvmlDeviceGetHandleByUUID"});
  find(library, api.nvmlDeviceGetDeviceHandleFromMigDeviceHandle, {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle"});
  find(library, api.compute_processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find(library, api.graphics_processes,
       {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
  find(library, api.mps_processes,
       {"nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2"});
  find(library, api.nvmlSystemGetProcessName, {"nvmlSystemGetProcessName"});
  find(library, api.nvmlDeviceGetMigMode, {"nvmlDeviceGetMigMode"});
  find(library, api.nvmlDeviceGetDisplayActive, {"nvmlDeviceGetDisplayActive"});
  find(library, api.nvmlDeviceGetEccMode, {"nvmlDeviceGetEccMode"});
  find(library, api.nvmlDeviceGetTotalEccErrors, {"nvmlDeviceGetTotalEccErrors"});
  find(library, api.clock_event_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  find(library, api.nvmlDeviceGetViolationStatus, {"nvmlDeviceGetViolationStatus"});
  const auto started = api.nvmlInit_v2();
  if (started == NVML_SUCCESS) return true;
  why = api.nvmlErrorString(started);
  return false;
}

}  // namespace ptxlat::nvml
