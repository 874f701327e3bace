// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host_objects.h"

namespace ptxlat::gpu {

// Successive launches rotate through this many lines, because a line's address decides which slice of L2 serves it.
// Their distance is not a power of two, so that they spread over the slices; all are in a few pages, so that they do so
// evenly; and all have the same alignment for the first-level cache. There are fewer object pages, each with tensors at
// a different line.
inline constexpr std::size_t memory_lines = 512;
inline constexpr std::size_t object_pages = 128;
inline constexpr std::size_t line_distance = std::size_t{5} * 1024;

// Bytes that a kernel may use, starting at its line.
inline constexpr std::size_t line_reach = std::size_t{2} * 1024 * 1024;
inline constexpr std::size_t scratch_bytes = memory_lines * line_distance + line_reach;

// Scratch memory, and the object pages that a kernel's parameter `memory` points to. Made once per process.
class KernelMemory {
 public:
  explicit KernelMemory(const CudaApi& api);

  CUdeviceptr objects(std::size_t launch) const {
    return buffer_.address() + scratch_bytes + launch % object_pages * object_page_bytes;
  }
  // Where a launch's scratch memory begins.
  CUdeviceptr line(std::size_t launch) const { return buffer_.address() + launch % memory_lines * line_distance; }
  std::string rejected_objects() const { return objects_.rejected(); }

  // Makes all scratch memory zero, in the stream's order. The objects are rewritten too, because a kernel can change
  // them, as tensormap.replace does.
  void restore(const CudaStream& stream) const;

 private:
  const CudaApi& api_;
  DeviceBuffer buffer_;
  PinnedBuffer pages_;
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
