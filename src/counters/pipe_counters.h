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

// The metrics that this machine can count, and with which libcupti.
//   name  with its version: "cupti-130001"
struct Offer {
  std::string library;
  std::string name;
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
// until every counter has been read. A session, in which CUPTI occupies the chip's counters, takes many kernels. Lives
// in a worker process and stays enabled until that ends.
class PipeCounters {
 public:
  // Unavailable if the library, the device or the driver's permission does not allow it.
  PipeCounters(const std::filesystem::path& library, gpu::CUdevice device, gpu::CUcontext context);
  PipeCounters(const PipeCounters&) = delete;  // CUPTI has pointers into it
  PipeCounters& operator=(const PipeCounters&) = delete;

  const Offer& offer() const { return offer_; }

  // The counts of each kernel that `launch` launches, in order. There are at most `kernels`: one that could not be
  // launched has no counts. `launch` returns false if the process cannot continue; then there are none at all.
  // Unavailable if CUPTI fails or counts more kernels.
  std::optional<std::vector<Counts>> count(std::size_t kernels, const std::function<bool()>& launch);

 private:
  void require_support(gpu::CUdevice device) const;
  void choose_counters(gpu::CUdevice device, gpu::CUcontext context);
  void make_images(gpu::CUcontext context);
  void make_counter_data(std::size_t kernels);
  std::vector<Counts> counted();
  Counts evaluate(std::size_t range);

  CuptiApi api_;
  Offer offer_;
  std::vector<std::string> metrics_;  // with the way to add SMs up: "sm__inst_executed.sum", then one a pipe
  std::vector<const char*> metric_names_;
  std::vector<std::uint8_t> availability_;  // the host object reads it again later
  HostObject* host_ = nullptr;
  RangeProfiler* profiler_ = nullptr;
  std::vector<std::uint8_t> config_, counter_data_;
  std::size_t counter_data_kernels_ = 0;  // for which counter_data_ has room
};

}  // namespace ptxlat::counters
