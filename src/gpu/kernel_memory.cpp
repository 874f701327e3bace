// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel_memory.h"

#include <cstring>

namespace ptxlat::gpu {
namespace {

unsigned char* zeroed(const PinnedBuffer& pages) {
  return static_cast<unsigned char*>(std::memset(pages.data(), 0, object_pages * object_page_bytes));
}

std::vector<CUdeviceptr> lines_of_tensors(const KernelMemory& memory) {
  std::vector<CUdeviceptr> lines;
  for (std::size_t page = 0; page < object_pages; ++page) lines.push_back(memory.line(page));
  return lines;
}

}  // namespace

KernelMemory::KernelMemory(const CudaApi& api)
    : api_(api),
      buffer_(api, scratch_bytes + object_pages * object_page_bytes),
      pages_(api, object_pages * object_page_bytes),
      originals_(api, object_pages * object_page_bytes),
      objects_(api, lines_of_tensors(*this), zeroed(pages_)) {
  PTXLAT_CUDA(api_, cuMemcpyHtoD, originals_.address(), pages_.data(), object_pages * object_page_bytes);
}

void KernelMemory::restore(const CudaStream& stream) const {
  PTXLAT_CUDA(api_, cuMemsetD8Async, buffer_.address(), static_cast<unsigned char>(0), scratch_bytes, stream.get());
  PTXLAT_CUDA(api_, cuMemcpyDtoDAsync, objects(0), originals_.address(), object_pages * object_page_bytes,
              stream.get());
}

// Slices do not fill evenly, and replacement is not LRU: use several times as many lines as fit.
L2Filler::L2Filler(const CudaApi& api, std::size_t l2_bytes)
    : api_(api), bytes_(4 * l2_bytes + line_distance), buffer_(api, bytes_) {}

void L2Filler::fill(const CudaStream& stream) const {
  PTXLAT_CUDA(api_, cuMemsetD8Async, buffer_.address(), static_cast<unsigned char>(0), bytes_, stream.get());
}

}  // namespace ptxlat::gpu
