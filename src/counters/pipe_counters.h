// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "counters/cupti_api.h"

namespace ptxlat::counters {

// What this machine can count, and with which library.
//   version  from cuptiGetVersion: 130001
struct Offer {
  std::string library;
  std::uint32_t version = 0;
  std::vector<std::string> pipes;
};

// Warp instructions that one kernel executed on all SMs.
//   executed  all of them
//   on_pipes  on each pipe of the offer
struct Counts {
  double executed = 0;
  std::vector<double> on_pipes;
};

// A chip's counters of instructions by pipe, read by CUPTI's range profiler: a range for each kernel, which is repeated
// until every counter has been read. Lives in a worker process and stays enabled until that ends.
class PipeCounters {
 public:
  // Unavailable if the library, the device or the driver's permission does not allow it.
  PipeCounters(const std::filesystem::path& library, gpu::CUdevice device, gpu::CUcontext context);
  PipeCounters(const PipeCounters&) = delete;  // CUPTI has pointers into it
  PipeCounters& operator=(const PipeCounters&) = delete;

  const Offer& offer() const { return offer_; }

  // What the one kernel launched by `launch` executed: no pipes at all if it could not be launched. `launch` returns
  // false if the process cannot continue; then there are no counts. Unavailable if CUPTI fails or counts several
  // kernels.
  std::optional<Counts> count(const std::function<bool()>& launch);

 private:
  void require_support(gpu::CUdevice device) const;
  void choose_counters(gpu::CUdevice device, gpu::CUcontext context);
  void make_images(gpu::CUcontext context);
  Counts counted();

  CuptiApi api_;
  Offer offer_;
  std::vector<std::string> metrics_;  // with the way to add SMs up: "sm__inst_executed.sum", then one a pipe
  std::vector<const char*> metric_names_;
  std::vector<std::uint8_t> availability_;  // the host object reads it again later
  HostObject* host_ = nullptr;
  RangeProfiler* profiler_ = nullptr;
  std::vector<std::uint8_t> config_, counter_data_;
};

}  // namespace ptxlat::counters
