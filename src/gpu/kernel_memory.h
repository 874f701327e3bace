// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host_objects.h"

namespace ptxlat::gpu {

// Successive launches rotate through this many lines, because a line's address decides which slice of L2 serves it.
// Their distance is not a power of two, so that they spread over the slices, and all have the same alignment for the
// first-level cache. They are in many pages, because a page's place in physical memory matters, too: with all of them
// in two pages, medians differed by half a percent from process to process. The launches go from page to page so that
// each place of a survey (latency/survey.h) sees all of them.
inline constexpr std::size_t memory_lines = 1024;
inline constexpr std::size_t memory_pages = 16;
inline constexpr std::size_t lines_in_a_row = 16;
inline constexpr std::size_t page_distance = std::size_t{2} * 1024 * 1024;
inline constexpr std::size_t line_distance = std::size_t{5} * 1024;

// There are fewer object pages, each with tensors at a different line.
inline constexpr std::size_t object_pages = 128;

// Bytes that a kernel may use, starting at its line.
inline constexpr std::size_t line_reach = std::size_t{2} * 1024 * 1024;

// Where a launch's line begins in scratch memory.
constexpr std::size_t line_offset(std::size_t launch) {
  const auto line = launch % memory_lines, turn = line / lines_in_a_row;
  return (turn + turn / memory_pages) % memory_pages * page_distance +
         (turn / memory_pages * lines_in_a_row + line % lines_in_a_row) * line_distance;
}
inline constexpr std::size_t scratch_bytes = memory_pages * page_distance + line_reach;

// Scratch memory, and the object pages that a kernel's parameter `memory` points to. Made once per process.
class KernelMemory {
 public:
  explicit KernelMemory(const CudaApi& api);

  CUdeviceptr objects(std::size_t launch) const {
    return buffer_.address() + scratch_bytes + launch % object_pages * object_page_bytes;
  }
  // Where a launch's scratch memory begins.
  CUdeviceptr line(std::size_t launch) const { return buffer_.address() + line_offset(launch); }
  std::string rejected_objects() const { return objects_.rejected(); }

  // Makes all scratch memory zero, in the stream's order. The objects are rewritten too, because a kernel can change
  // them, as tensormap.replace does. Their originals are on the device: from the host, a copy takes 40 µs.
  void restore(const CudaStream& stream) const;

 private:
  const CudaApi& api_;
  DeviceBuffer buffer_;
  PinnedBuffer pages_;
  DeviceBuffer originals_;
  HostObjects objects_;
};

// Fills the second-level cache with its own lines, which evicts all others.
class L2Filler {
 public:
  L2Filler(const CudaApi& api, std::size_t l2_bytes);

  // In the stream's order.
  void fill(const CudaStream& stream) const;

 private:
  const CudaApi& api_;
  std::size_t bytes_;
  DeviceBuffer buffer_;
};

}  // namespace ptxlat::gpu
