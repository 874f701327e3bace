// SPDX-License-Identifier: Apache-2.0

// The stand-in's device memory, which is host memory. As with the real driver, a copy or a fill that leaves its
// allocation fails.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "context.h"
#include "gpu/handles.h"
#include "script.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace standin {
namespace {

constexpr std::size_t alignment = 256;  // the real driver's least

struct Allocation {
  std::size_t size = 0;
  int device = 0;
};

std::mutex mutex;
std::map<CUdeviceptr, Allocation> allocations;

// The context's fault first, which every call returns after it; then whether the bytes are device memory.
CUresult check(CUdeviceptr address, std::size_t size) {
  if (context().fault != CUDA_SUCCESS) return context().fault;
  return size > bytes_from(address) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

unsigned char* bytes_at(CUdeviceptr address) { return reinterpret_cast<unsigned char*>(address); }

}  // namespace

std::size_t bytes_from(CUdeviceptr address) {
  const std::scoped_lock lock(mutex);
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return 0;
  const auto& [first, allocation] = *--next;
  return address < first + allocation.size ? first + allocation.size - address : 0;
}

}  // namespace standin

using namespace standin;

STANDIN_API CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t size) {
  Context& owner = context();
  if (owner.fault != CUDA_SUCCESS) return owner.fault;
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::scoped_lock lock(mutex);
  const std::uint64_t room = script().devices.at(owner.device).memory - owner.allocated_bytes;
  void* memory = size > room ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!memory) return error_out_of_memory;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  allocations[*address] = {size, owner.device};
  owner.allocated_bytes += size;
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuMemFree_v2(CUdeviceptr address) {
  if (address == 0) return context().fault;
  const std::scoped_lock lock(mutex);
  const auto found = allocations.find(address);
  if (found == allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  context_of(found->second.device).allocated_bytes -= found->second.size;
  allocations.erase(found);
  return std::free(bytes_at(address)), context().fault;
}
STANDIN_API CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = script().devices.at(context().device).memory;
  const std::scoped_lock lock(mutex);
  return *free = *total - context().allocated_bytes, context().fault;
}
// Addresses without memory are the host's own; memory without addresses is a number of bytes.
STANDIN_API CUresult cuCtxGetDevice(CUdevice* device) { return *device = context().device, context().fault; }
STANDIN_API CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t size, std::size_t, CUdeviceptr,
                                         unsigned long long) {
  void* range = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return error_out_of_memory;
  return *address = reinterpret_cast<CUdeviceptr>(range), context().fault;
}
STANDIN_API CUresult cuMemAddressFree(CUdeviceptr address, std::size_t size) {
  return munmap(bytes_at(address), size) == 0 ? context().fault : CUDA_ERROR_INVALID_VALUE;
}
STANDIN_API CUresult cuMemCreate(CUmemGenericAllocationHandle* memory, std::size_t size, const CUmemAllocationProp*,
                                 unsigned long long) {
  Context& owner = context();
  if (size % mapped_pages != 0) return CUDA_ERROR_INVALID_VALUE;
  const std::scoped_lock lock(mutex);
  if (size > script().devices.at(owner.device).memory - owner.allocated_bytes) return error_out_of_memory;
  owner.allocated_bytes += size;
  return *memory = size, owner.fault;
}
// The memory stays until it is unmapped, as with the real driver.
STANDIN_API CUresult cuMemRelease(CUmemGenericAllocationHandle) { return context().fault; }
STANDIN_API CUresult cuMemMap(CUdeviceptr address, std::size_t size, std::size_t, CUmemGenericAllocationHandle memory,
                              unsigned long long) {
  if (size != memory || address % mapped_pages != 0) return CUDA_ERROR_INVALID_VALUE;
  const std::scoped_lock lock(mutex);
  allocations[address] = {size, context().device};
  return context().fault;
}
STANDIN_API CUresult cuMemSetAccess(CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) {
  return context().fault;
}
STANDIN_API CUresult cuMemUnmap(CUdeviceptr address, std::size_t size) {
  const std::scoped_lock lock(mutex);
  const auto found = allocations.find(address);
  if (found == allocations.end() || found->second.size != size) return CUDA_ERROR_INVALID_VALUE;
  context_of(found->second.device).allocated_bytes -= size;
  allocations.erase(found);
  return context().fault;
}
STANDIN_API CUresult cuMemHostAlloc(void** address, std::size_t size, unsigned) {
  return *address = std::malloc(size), context().fault;
}
STANDIN_API CUresult cuMemFreeHost(void* address) { return std::free(address), context().fault; }

STANDIN_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t size) {
  const CUresult result = check(to, size);
  if (result == CUDA_SUCCESS && size > 0) std::memcpy(bytes_at(to), from, size);
  return result;
}
STANDIN_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t size, CUstream) {
  return cuMemcpyHtoD_v2(to, from, size);
}
STANDIN_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream) {
  const CUresult result = check(from, size);
  return result == CUDA_SUCCESS ? cuMemcpyHtoD_v2(to, bytes_at(from), size) : result;
}
STANDIN_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t size) {
  const CUresult result = check(from, size);
  if (result == CUDA_SUCCESS && size > 0) std::memcpy(to, bytes_at(from), size);
  return result;
}
STANDIN_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t size, CUstream) {
  return cuMemcpyDtoH_v2(to, from, size);
}
STANDIN_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t size, CUstream) {
  const CUresult result = check(to, size);
  if (result == CUDA_SUCCESS && size > 0) std::memset(bytes_at(to), value, size);
  context().set_bytes = size;
  return result;
}
STANDIN_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count) {
  if (to % sizeof value != 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = check(to, sizeof value * count);
  for (std::size_t i = 0; result == CUDA_SUCCESS && i < count; ++i)
    std::memcpy(bytes_at(to) + sizeof value * i, &value, sizeof value);
  return result;
}
STANDIN_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream) {
  return cuMemsetD32_v2(to, value, count);
}
