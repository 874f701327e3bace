#include "gpu/kernel_memory.h"

#include <cstring>

namespace ptxlat::gpu {
namespace {

unsigned char* zeroed(const PinnedBuffer& page) {
  return static_cast<unsigned char*>(std::memset(page.data(), 0, objects_end));
}

}  // namespace

KernelMemory::KernelMemory(const CudaApi& api)
    : api_(api),
      buffer_(api, memory_regions * region_bytes),
      page_(api, objects_end),
      objects_(api, buffer_.address() + object_page_bytes, zeroed(page_)) {}

void KernelMemory::restore(const CudaStream& stream) const {
  PTXLAT_CUDA(api_, cuMemsetD8Async, buffer_.address(), static_cast<unsigned char>(0), memory_regions * region_bytes,
              stream.get());
  for (std::size_t region = 0; region < memory_regions; ++region)
    PTXLAT_CUDA(api_, cuMemcpyHtoDAsync, address(region), page_.data(), objects_end, stream.get());
}

}  // namespace ptxlat::gpu
