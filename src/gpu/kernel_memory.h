#pragma once

#include "gpu/host_objects.h"

namespace ptxlat::gpu {

// Launches take turns with so many lines, because a line's address decides which slice of L2 serves it. Their distance
// is no power of two, so that they spread over the slices; all are in a few pages, so that they do so evenly; and all
// are aligned alike as far as the first-level cache is concerned. Of object pages there are fewer, each with tensors at
// a line of its own.
inline constexpr std::size_t memory_lines = 512;
inline constexpr std::size_t object_pages = 128;
inline constexpr std::size_t line_distance = std::size_t{5} * 1024;

// What a kernel may use from its line on.
inline constexpr std::size_t line_reach = std::size_t{2} * 1024 * 1024;
inline constexpr std::size_t scratch_bytes = memory_lines * line_distance + line_reach;

// Scratch memory, and the object pages that a kernel's parameter `memory` points to. Made once a process.
class KernelMemory {
 public:
  explicit KernelMemory(const CudaApi& api);

  CUdeviceptr objects(std::size_t launch) const {
    return buffer_.address() + scratch_bytes + launch % object_pages * object_page_bytes;
  }
  // Where a launch's scratch memory begins.
  CUdeviceptr line(std::size_t launch) const { return buffer_.address() + launch % memory_lines * line_distance; }
  std::string refused_objects() const { return objects_.refused(); }

  // Makes all scratch memory zero, in the stream's order. The objects are written anew as well, because a kernel can
  // change them: tensormap.replace does.
  void restore(const CudaStream& stream) const;

 private:
  const CudaApi& api_;
  DeviceBuffer buffer_;
  PinnedBuffer pages_;
  HostObjects objects_;
};

// Fills the second-level cache with lines of its own, so that it has no others.
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
