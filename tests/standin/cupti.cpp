// SPDX-License-Identifier: Apache-2.0

// The stand-in's counters: a libcupti for the stand-in driver, in the same library, because it counts what was launched
// there. The chip's pipes are invented:
//   able                     IADD3, LOP3
//   bakerheavy               IMAD, and every other FFMA
//   bakerlite                every other FFMA
//   charlie                  MUFU, POPC
//   dog and easy             DMUL, on both at once
//   easy                     HGMMA
// What is between a kernel's two clock reads is executed 16 times, as what is written over a saturated loop is: eight
// rounds in each of two passes.
//
//   PTXLAT_STANDIN_CUPTI     "unsupported": the device has no counters; "forbidden": the user may not read them;
//                            "crash", "hang": whenever counting begins; "crash_at_start": when the library is asked
//                            for the first time; "blind": no kernel is counted;
//                            "crash_when_several": at the end of a session that counted several kernels;
//                            "taken": somebody else has subscribed to its callbacks
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "context.h"
#include "counters/cupti_api.h"

using namespace ptxlat;
using namespace ptxlat::counters;

namespace standin {
namespace {

constexpr CUptiResult error_invalid_parameter = 1, error_not_supported = 27;
constexpr double times_in_window = 16;
constexpr std::uint8_t all_available = 0xa5;
constexpr std::size_t availability_bytes = 9184;  // as on an H200
constexpr unsigned mnemonic_bits = 0x1ff;

// Parts and sums of pipes are among them, and counters of something else.
std::array<const char*, 11> base_metrics = {"sm__cycles_active",
                                            "sm__inst_executed",
                                            "sm__inst_executed_pipe_able",
                                            "sm__inst_executed_pipe_baker",
                                            "sm__inst_executed_pipe_bakerheavy",
                                            "sm__inst_executed_pipe_bakerlite",
                                            "sm__inst_executed_pipe_charlie",
                                            "sm__inst_executed_pipe_dog",
                                            "sm__inst_executed_pipe_dog_op_mul",
                                            "sm__inst_executed_pipe_easy",
                                            "sm__thread_inst_executed_pipe_able_pred_on"};

bool misbehaves(const char* how) {
  const char* wanted = std::getenv("PTXLAT_STANDIN_CUPTI");
  return wanted && std::strcmp(wanted, how) == 0;
}

// How much of one instruction a pipe's counter counts.
double share(const std::string& pipe, unsigned mnemonic) {
  switch (mnemonic) {
    case 0x010:
    case 0x012:
      return pipe == "able" ? 1 : 0;
    case 0x024:
      return pipe == "bakerheavy" ? 1 : 0;
    case 0x023:
      return pipe == "bakerheavy" || pipe == "bakerlite" ? 0.5 : 0;
    case 0x108:
    case 0x109:
      return pipe == "charlie" ? 1 : 0;
    case 0x028:
      return pipe == "dog" || pipe == "easy" ? 1 : 0;
    case 0x1f0:
      return pipe == "easy" ? 1 : 0;
    default:
      return 0;
  }
}

// "sm__inst_executed.sum" or "sm__inst_executed_pipe_able.sum" of a launch.
double value(const std::string& metric, const Executed& launch) {
  const std::string all = "sm__inst_executed.sum", of_pipe = "sm__inst_executed_pipe_";
  const auto pipe = metric == all ? "" : metric.substr(of_pipe.size(), metric.size() - of_pipe.size() - 4);
  const auto [begin, end] = window_of(launch.code);
  double sum = 0;
  for (std::ptrdiff_t i = 0; i < std::ssize(launch.code); ++i) {
    const double times = launch.warps * (i >= begin && i < end ? times_in_window : 1);
    sum += times * (pipe.empty() ? 1 : share(pipe, launch.code[static_cast<std::size_t>(i)].low & mnemonic_bits));
  }
  return sum;
}

template <class Params>
bool is_sound(const Params* parameters) {
  return parameters->structSize >= 2 * sizeof(std::size_t) && parameters->pPriv == nullptr;
}

}  // namespace

}  // namespace standin

using namespace standin;

STANDIN_API CUptiResult cuptiSubscribe(void** subscriber, ModuleCallback callback, void* user_data) {
  constexpr CUptiResult error_multiple_subscribers = 39;
  if (misbehaves("taken")) return error_multiple_subscribers;
  module_subscriber() = {callback, user_data};
  return *subscriber = &module_subscriber(), CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiEnableCallback(std::uint32_t, void*, int domain, std::uint32_t id) {
  return domain == 3 && id == 6 ? CUPTI_SUCCESS : error_invalid_parameter;
}

STANDIN_API CUptiResult cuptiGetVersion(std::uint32_t* version) { return *version = 130001, CUPTI_SUCCESS; }
STANDIN_API CUptiResult cuptiGetResultString(CUptiResult, const char** name) {
  return *name = "CUPTI_ERROR_OF_THE_STANDIN", CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiProfilerInitialize(InitializeParams* parameters) {
  if (misbehaves("crash_at_start")) abort();
  return is_sound(parameters) ? CUPTI_SUCCESS : error_invalid_parameter;
}
STANDIN_API CUptiResult cuptiProfilerDeviceSupported(DeviceSupportedParams* parameters) {
  constexpr int unsupported = 1;
  parameters->architecture = parameters->sli = parameters->confidentialCompute = parameters->cmp = parameters->wsl =
      CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  parameters->vGpu = misbehaves("unsupported") ? unsupported : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  parameters->isSupported = parameters->vGpu;
  return is_sound(parameters) ? CUPTI_SUCCESS : error_invalid_parameter;
}
STANDIN_API CUptiResult cuptiProfilerGetCounterAvailability(CounterAvailabilityParams* parameters) {
  if (misbehaves("forbidden")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (parameters->pCounterAvailabilityImage) *parameters->pCounterAvailabilityImage = all_available;
  return parameters->counterAvailabilityImageSize = availability_bytes, CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiDeviceGetChipName(ChipNameParams* parameters) {
  return parameters->pChipName = "SI100", CUPTI_SUCCESS;
}

STANDIN_API CUptiResult cuptiProfilerHostInitialize(HostInitializeParams* parameters) {
  if (parameters->pChipName == nullptr || parameters->pCounterAvailabilityImage == nullptr)
    return error_invalid_parameter;
  return parameters->pHostObject =
             const_cast<HostObject*>(reinterpret_cast<const HostObject*>(parameters->pCounterAvailabilityImage)),
         CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiProfilerHostGetBaseMetrics(BaseMetricsParams* parameters) {
  parameters->ppMetricNames = base_metrics.data();
  return parameters->numMetrics = base_metrics.size(), CUPTI_SUCCESS;
}
// CUPTI of CUDA 13.0 reads the image again here.
STANDIN_API CUptiResult cuptiProfilerHostConfigAddMetrics(AddMetricsParams* parameters) {
  if (*reinterpret_cast<const std::uint8_t*>(parameters->pHostObject) != all_available) return error_invalid_parameter;
  const auto is_offered = [](const std::string& wanted) {
    return std::any_of(base_metrics.begin(), base_metrics.end(),
                       [&](const char* base) { return wanted == std::string(base) + ".sum"; });
  };
  return std::all_of(parameters->ppMetricNames, parameters->ppMetricNames + parameters->numMetrics, is_offered)
             ? CUPTI_SUCCESS
             : error_invalid_parameter;
}
STANDIN_API CUptiResult cuptiProfilerHostGetConfigImageSize(ConfigImageSizeParams* parameters) {
  return parameters->configImageSize = 1, CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiProfilerHostGetConfigImage(ConfigImageParams* parameters) {
  return *parameters->pConfigImage = 1, CUPTI_SUCCESS;
}

STANDIN_API CUptiResult cuptiRangeProfilerEnable(EnableParams* parameters) {
  parameters->pRangeProfilerObject = reinterpret_cast<RangeProfiler*>(parameters->ctx);
  return CUPTI_SUCCESS;
}
// A byte for each kernel.
STANDIN_API CUptiResult cuptiRangeProfilerGetCounterDataSize(CounterDataSizeParams* parameters) {
  return parameters->counterDataSize = parameters->maxNumOfRanges, CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CounterDataImageParams*) {
  return context().counted.clear(), CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiRangeProfilerSetConfig(SetConfigParams* parameters) {
  context().most_counted = std::min(parameters->counterDataImageSize, parameters->maxRangesPerPass);
  return parameters->range == CUPTI_AutoRange && parameters->replayMode == CUPTI_KernelReplay ? CUPTI_SUCCESS
                                                                                              : error_not_supported;
}
STANDIN_API CUptiResult cuptiRangeProfilerStart(StartParams*) {
  if (misbehaves("crash")) abort();
  if (misbehaves("hang")) hang();
  return context().is_counting = true, CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiRangeProfilerStop(StopParams* parameters) {
  context().is_counting = false;
  return parameters->isAllPassSubmitted = 1, CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiRangeProfilerDecodeData(DecodeDataParams* parameters) {
  auto& counted = context().counted;
  const auto most = context().most_counted;
  if (misbehaves("crash_when_several") && counted.size() > 1) abort();
  parameters->numOfRangeDropped = counted.size() - std::min(counted.size(), most);
  return counted.resize(std::min(counted.size(), most)), CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiRangeProfilerGetCounterDataInfo(CounterDataInfoParams* parameters) {
  return parameters->numTotalRanges = misbehaves("blind") ? 0 : context().counted.size(), CUPTI_SUCCESS;
}
STANDIN_API CUptiResult cuptiProfilerHostEvaluateToGpuValues(EvaluateParams* parameters) {
  for (std::size_t i = 0; i < parameters->numMetrics; ++i)
    parameters->pMetricValues[i] = value(parameters->ppMetricNames[i], context().counted.at(parameters->rangeIndex));
  return CUPTI_SUCCESS;
}
