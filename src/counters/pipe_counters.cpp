// SPDX-License-Identifier: Apache-2.0
#include "counters/pipe_counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "counters/find.h"

namespace ptxlat::counters {

PipeCounters::PipeCounters(const std::filesystem::path& library, gpu::CUdevice device, gpu::CUcontext context)
    : api_(load_cupti_api(library)) {
  offer_.library = library.string();
  std::uint32_t version = 0;
  PTXLAT_CUPTI(api_, cuptiGetVersion, &version);
  offer_.name = fmt::format("cupti-{}", version);
  auto initialize = parameters_of(&InitializeParams::pPriv);
  PTXLAT_CUPTI(api_, cuptiProfilerInitialize, &initialize);
  require_support(device);
  choose_counters(device, context);
  make_images(context);
}

void PipeCounters::require_support(gpu::CUdevice device) const {
  auto support = parameters_of(&DeviceSupportedParams::api);
  support.cuDevice = device;
  support.api = CUPTI_PROFILER_RANGE_PROFILING;
  PTXLAT_CUPTI(api_, cuptiProfilerDeviceSupported, &support);
  if (support.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  std::vector<std::string_view> reasons;
  for (const auto& [level, name] : {std::pair{support.architecture, "its architecture"},
                                    {support.sli, "SLI"},
                                    {support.vGpu, "a virtual GPU"},
                                    {support.confidentialCompute, "confidential computing"},
                                    {support.cmp, "a mining processor"},
                                    {support.wsl, "WSL"}}) {
    if (level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) reasons.emplace_back(name);
  }
  throw Unavailable(fmt::format("CUPTI does not support profiling on this device{}{}", reasons.empty() ? "" : ": ",
                                fmt::join(reasons, ", ")),
                    {}, ExitCode::no_gpu);
}

void PipeCounters::choose_counters(gpu::CUdevice device, gpu::CUcontext context) {
  auto chip = parameters_of(&ChipNameParams::pChipName);
  chip.deviceIndex = static_cast<std::size_t>(device);
  PTXLAT_CUPTI(api_, cuptiDeviceGetChipName, &chip);

  // First how large it is, then itself: which of the chip's counters this driver offers.
  auto available = parameters_of(&CounterAvailabilityParams::pCounterAvailabilityImage);
  available.ctx = context;
  PTXLAT_CUPTI(api_, cuptiProfilerGetCounterAvailability, &available);
  availability_.resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = availability_.data();
  PTXLAT_CUPTI(api_, cuptiProfilerGetCounterAvailability, &available);

  auto host = parameters_of(&HostInitializeParams::pHostObject);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = availability_.data();
  PTXLAT_CUPTI(api_, cuptiProfilerHostInitialize, &host);
  host_ = host.pHostObject;

  auto base = parameters_of(&BaseMetricsParams::numMetrics);
  base.pHostObject = host_;
  base.metricType = CUPTI_METRIC_TYPE_COUNTER;
  PTXLAT_CUPTI(api_, cuptiProfilerHostGetBaseMetrics, &base);
  const std::vector<std::string> names(base.ppMetricNames, base.ppMetricNames + base.numMetrics);
  offer_.pipes = pipes_among(names);
  if (offer_.pipes.empty() || std::find(names.begin(), names.end(), executed_counter) == names.end())
    throw Unavailable(fmt::format("{} has no counters of instructions by pipe", chip.pChipName), library_advice());
  metrics_.push_back(fmt::format("{}.sum", executed_counter));
  for (const auto& pipe : offer_.pipes) metrics_.push_back(fmt::format("{}.sum", counter_of_pipe(pipe)));
  for (const auto& metric : metrics_) metric_names_.push_back(metric.c_str());
}

void PipeCounters::make_images(gpu::CUcontext context) {
  auto add = parameters_of(&AddMetricsParams::numMetrics);
  add.pHostObject = host_;
  add.ppMetricNames = metric_names_.data();
  add.numMetrics = metric_names_.size();
  PTXLAT_CUPTI(api_, cuptiProfilerHostConfigAddMetrics, &add);
  auto size = parameters_of(&ConfigImageSizeParams::configImageSize);
  size.pHostObject = host_;
  PTXLAT_CUPTI(api_, cuptiProfilerHostGetConfigImageSize, &size);
  config_.resize(size.configImageSize);
  auto image = parameters_of(&ConfigImageParams::pConfigImage);
  image.pHostObject = host_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  PTXLAT_CUPTI(api_, cuptiProfilerHostGetConfigImage, &image);

  auto enable = parameters_of(&EnableParams::pRangeProfilerObject);
  enable.ctx = context;
  PTXLAT_CUPTI(api_, cuptiRangeProfilerEnable, &enable);
  profiler_ = enable.pRangeProfilerObject;
}

// Empty: an image keeps the ranges of earlier sessions.
void PipeCounters::make_counter_data(std::size_t kernels) {
  if (kernels != counter_data_kernels_) {
    auto data = parameters_of(&CounterDataSizeParams::counterDataSize);
    data.pRangeProfilerObject = profiler_;
    data.pMetricNames = metric_names_.data();
    data.numMetrics = metric_names_.size();
    data.maxNumOfRanges = kernels;
    data.maxNumRangeTreeNodes = static_cast<std::uint32_t>(kernels);
    PTXLAT_CUPTI(api_, cuptiRangeProfilerGetCounterDataSize, &data);
    counter_data_.resize(data.counterDataSize);
    counter_data_kernels_ = kernels;
  }
  auto clear = parameters_of(&CounterDataImageParams::pCounterData);
  clear.pRangeProfilerObject = profiler_;
  clear.counterDataSize = counter_data_.size();
  clear.pCounterData = counter_data_.data();
  PTXLAT_CUPTI(api_, cuptiRangeProfilerCounterDataImageInitialize, &clear);
}

std::optional<std::vector<Counts>> PipeCounters::count(std::size_t kernels, const std::function<bool()>& launch) {
  make_counter_data(kernels);
  auto configure = parameters_of(&SetConfigParams::targetNestingLevel);
  configure.pRangeProfilerObject = profiler_;
  configure.configSize = config_.size();
  configure.pConfig = config_.data();
  configure.counterDataImageSize = counter_data_.size();
  configure.pCounterDataImage = counter_data_.data();
  configure.range = CUPTI_AutoRange;
  configure.replayMode = CUPTI_KernelReplay;
  configure.maxRangesPerPass = kernels;
  configure.numNestingLevels = 1;
  configure.minNestingLevel = 1;
  PTXLAT_CUPTI(api_, cuptiRangeProfilerSetConfig, &configure);

  auto start = parameters_of(&StartParams::pRangeProfilerObject);
  start.pRangeProfilerObject = profiler_;
  PTXLAT_CUPTI(api_, cuptiRangeProfilerStart, &start);
  if (!launch()) return std::nullopt;
  auto stop = parameters_of(&StopParams::isAllPassSubmitted);
  stop.pRangeProfilerObject = profiler_;
  PTXLAT_CUPTI(api_, cuptiRangeProfilerStop, &stop);
  return counted();
}

std::vector<Counts> PipeCounters::counted() {
  auto decode = parameters_of(&DecodeDataParams::numOfRangeDropped);
  decode.pRangeProfilerObject = profiler_;
  PTXLAT_CUPTI(api_, cuptiRangeProfilerDecodeData, &decode);
  auto info = parameters_of(&CounterDataInfoParams::numTotalRanges);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  PTXLAT_CUPTI(api_, cuptiRangeProfilerGetCounterDataInfo, &info);
  if (decode.numOfRangeDropped != 0)
    throw Unavailable(fmt::format("CUPTI counted {} kernels instead of at most {}",
                                  info.numTotalRanges + decode.numOfRangeDropped, counter_data_kernels_),
                      {});
  std::vector<Counts> counts;
  for (std::size_t range = 0; range < info.numTotalRanges; ++range) counts.push_back(evaluate(range));
  return counts;
}

Counts PipeCounters::evaluate(std::size_t range) {
  std::vector<double> values(metric_names_.size());
  auto evaluate = parameters_of(&EvaluateParams::pMetricValues);
  evaluate.pHostObject = host_;
  evaluate.pCounterDataImage = counter_data_.data();
  evaluate.counterDataImageSize = counter_data_.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = metric_names_.data();
  evaluate.numMetrics = metric_names_.size();
  evaluate.pMetricValues = values.data();
  PTXLAT_CUPTI(api_, cuptiProfilerHostEvaluateToGpuValues, &evaluate);
  return {values.front(), {values.begin() + 1, values.end()}};
}

}  // namespace ptxlat::counters
