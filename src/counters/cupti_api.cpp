// SPDX-License-Identifier: Apache-2.0
#include "counters/cupti_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/environment.h"

namespace ptxlat::counters {

namespace {

template <typename Function>
void find_symbol(void* library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  if (function) return;
  dlclose(library);
  throw Unavailable(fmt::format("it is too old: it has no {}, which CUDA 12.6 introduced", symbol), library_advice());
}

}  // namespace

Unavailable forbidden() {
  return {"the driver does not let this user read hardware counters",
          "Run as root (in a container with --cap-add SYS_ADMIN), or let every user read counters: put `options nvidia "
          "NVreg_RestrictProfilingToAdminUsers=0` into a file of /etc/modprobe.d and reload the driver.",
          ExitCode::no_gpu};
}

std::string library_advice() {
  return "`" + toolkits_script() + " cupti` downloads libcupti; $PTXLAT_LIBCUPTI can name one elsewhere.";
}

CuptiApi load_cupti_api(const std::filesystem::path& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Unavailable(fmt::format("it cannot be opened: {}", dlerror()), library_advice());
  CuptiApi api{};
  const auto find = [&](auto& function, const char* symbol) { find_symbol(library, function, symbol); };
  find(api.cuptiGetVersion, "cuptiGetVersion");
  find(api.cuptiGetResultString, "cuptiGetResultString");
  find(api.cuptiProfilerInitialize, "cuptiProfilerInitialize");
  find(api.cuptiProfilerDeviceSupported, "cuptiProfilerDeviceSupported");
  find(api.cuptiProfilerGetCounterAvailability, "cuptiProfilerGetCounterAvailability");
  find(api.cuptiDeviceGetChipName, "cuptiDeviceGetChipName");
  find(api.cuptiProfilerHostInitialize, "cuptiProfilerHostInitialize");
  find(api.cuptiProfilerHostGetBaseMetrics, "cuptiProfilerHostGetBaseMetrics");
  find(api.cuptiProfilerHostConfigAddMetrics, "cuptiProfilerHostConfigAddMetrics");
  find(api.cuptiProfilerHostGetConfigImageSize, "cuptiProfilerHostGetConfigImageSize");
  find(api.cuptiProfilerHostGetConfigImage, "cuptiProfilerHostGetConfigImage");
  find(api.cuptiProfilerHostEvaluateToGpuValues, "cuptiProfilerHostEvaluateToGpuValues");
  find(api.cuptiRangeProfilerEnable, "cuptiRangeProfilerEnable");
  find(api.cuptiRangeProfilerGetCounterDataSize, "cuptiRangeProfilerGetCounterDataSize");
  find(api.cuptiRangeProfilerCounterDataImageInitialize, "cuptiRangeProfilerCounterDataImageInitialize");
  find(api.cuptiRangeProfilerSetConfig, "cuptiRangeProfilerSetConfig");
  find(api.cuptiRangeProfilerStart, "cuptiRangeProfilerStart");
  find(api.cuptiRangeProfilerStop, "cuptiRangeProfilerStop");
  find(api.cuptiRangeProfilerDecodeData, "cuptiRangeProfilerDecodeData");
  find(api.cuptiRangeProfilerGetCounterDataInfo, "cuptiRangeProfilerGetCounterDataInfo");
  return api;
}

void check_cupti(const CuptiApi& api, CUptiResult result, const char* function) {
  if (result == CUPTI_SUCCESS) return;
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES || result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
    throw forbidden();
  const char* name = nullptr;
  api.cuptiGetResultString(result, &name);
  throw Unavailable(fmt::format("{} failed with {}", function, name ? name : fmt::format("CUPTI error {}", result)),
                    {});
}

}  // namespace ptxlat::counters
