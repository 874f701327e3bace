#pragma once

#include "gpu/host_objects.h"

namespace ptxlat::gpu {

inline constexpr std::size_t scratch_bytes = 2 * 1024 * 1024;

// Launches take turns with so many regions, so that the address, which decides which slice of L2 serves it, is another
// in each. Their distance is no power of two.
inline constexpr std::size_t memory_regions = 27;
inline constexpr std::size_t region_bytes = object_page_bytes + scratch_bytes + std::size_t{13} * 1024;

// What a kernel's parameter `memory` points to: the object page and, behind it, scratch memory. Made once a process.
class KernelMemory {
 public:
  explicit KernelMemory(const CudaApi& api);

  CUdeviceptr address(std::size_t launch) const { return buffer_.address() + launch % memory_regions * region_bytes; }
  std::string refused_objects() const { return objects_.refused(); }

  // Makes all scratch memory zero, in the stream's order. The objects are written anew as well, because a kernel can
  // change them: tensormap.replace does.
  void restore(const CudaStream& stream) const;

 private:
  const CudaApi& api_;
  DeviceBuffer buffer_;
  PinnedBuffer page_;
  HostObjects objects_;
};

}  // namespace ptxlat::gpu
