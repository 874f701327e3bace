// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expression.h"
#include "gpu/device.h"
#include "probe/probe.h"
#include "ptx/kernel.h"

namespace ptxlat::probe {

// One combination of the axes' values with its trial, whose role is "bytes=4096 stride=128".
//   count    steps or operations, for the reader
//   opcodes  of the window, exactly this many of each; registers  of a thread
//   sample_counts  places of each axis of the samples
//   inferred_bytes  of the memory to infer, 0 for none; flush_bytes and flush_stride: see ProbeInference
struct Point {
  ptx::Trial trial;
  std::int64_t count = 1;
  std::map<std::string, std::int64_t> opcodes;
  std::optional<std::int64_t> registers;
  std::vector<std::size_t> sample_counts = {};
  std::uint64_t inferred_bytes = 0, flush_bytes = 0, flush_stride = 0, page_bytes = 0;
};

// The names of its points, as `role` of their trials.
std::vector<std::string> roles_of(const Probe& probe);

// All points of a probe on a GPU whose names are `device`, the last axis fastest. Points whose kernels have the same
// text share one kernel. Error{catalogue} names the probe and the expression or hole that cannot be filled.
std::vector<Point> points_of(const Probe& probe, const Names& device = {});

// The GPU's properties that a probe's expressions may use: sms, l2_bytes, memory_bytes, memory_bus_bits,
// memory_clock_khz, page_bytes, shared_per_sm, persisting_l2_bytes, window_bytes.
Names names_of(const gpu::DeviceInfo& device);

// The value of a fact's expression that does not use a series. It may use properties of the GPU, and constants that do
// not depend on axes. Error{catalogue} as above.
std::int64_t value_given(const Probe& probe, const series::FactRule& rule, const Names& device);

}  // namespace ptxlat::probe
