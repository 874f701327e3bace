// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "gpu/cuda_api.h"

// RAII for the driver's handles. None can be copied: each owns its handle. The CudaApi must outlive them all.
namespace ptxlat::gpu {

// The device's primary context, current on the thread that made it.
class CudaContext {
 public:
  CudaContext(const CudaApi& api, CUdevice device) : api_(api), device_(device) {
    PTXLAT_CUDA(api_, cuDevicePrimaryCtxRetain, &context_, device);
    make_current();
  }
  ~CudaContext() { PTXLAT_CUDA_NOEXCEPT(api_, cuDevicePrimaryCtxRelease, device_); }
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // On the calling thread.
  void make_current() const { PTXLAT_CUDA(api_, cuCtxSetCurrent, context_); }
  CUcontext get() const { return context_; }

 private:
  const CudaApi& api_;
  CUdevice device_;
  CUcontext context_ = nullptr;
};

class CudaStream {
 public:
  explicit CudaStream(const CudaApi& api) : api_(api) {
    PTXLAT_CUDA(api_, cuStreamCreate, &stream_, CU_STREAM_NON_BLOCKING);
  }
  ~CudaStream() { PTXLAT_CUDA_NOEXCEPT(api_, cuStreamDestroy, stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  CUstream get() const { return stream_; }

 private:
  const CudaApi& api_;
  CUstream stream_ = nullptr;
};

// The work that `fill` puts into a stream, as a graph.
class CudaGraph {
 public:
  template <class Fill>
  CudaGraph(const CudaApi& api, const CudaStream& stream, const Fill& fill) : api_(api) {
    PTXLAT_CUDA(api_, cuStreamBeginCapture, stream.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    try {
      fill();
    } catch (...) {
      PTXLAT_CUDA_NOEXCEPT(api_, cuStreamEndCapture, stream.get(), &description_);
      destroy();
      throw;
    }
    PTXLAT_CUDA(api_, cuStreamEndCapture, stream.get(), &description_);
    if (const auto result = api_.cuGraphInstantiate(&graph_, description_, 0); result != CUDA_SUCCESS) {
      destroy();
      check_cuda(api_, result, "cuGraphInstantiate", __FILE__, __LINE__);
    }
  }
  ~CudaGraph() { destroy(); }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch(const CudaStream& stream) const { PTXLAT_CUDA(api_, cuGraphLaunch, graph_, stream.get()); }

 private:
  void destroy() noexcept {
    if (graph_) PTXLAT_CUDA_NOEXCEPT(api_, cuGraphExecDestroy, graph_);
    if (description_) PTXLAT_CUDA_NOEXCEPT(api_, cuGraphDestroy, description_);
  }

  const CudaApi& api_;
  CUgraph description_ = nullptr;
  CUgraphExec graph_ = nullptr;
};

// How much of the second-level cache may hold persisting lines. The destructor resets it to none, and no line stays
// persisting.
class PersistingLimit {
 public:
  PersistingLimit(const CudaApi& api, std::size_t bytes) : api_(api) {
    PTXLAT_CUDA(api_, cuCtxSetLimit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes);
  }
  ~PersistingLimit() {
    PTXLAT_CUDA_NOEXCEPT(api_, cuCtxResetPersistingL2Cache);
    PTXLAT_CUDA_NOEXCEPT(api_, cuCtxSetLimit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, std::size_t{0});
  }
  PersistingLimit(const PersistingLimit&) = delete;
  PersistingLimit& operator=(const PersistingLimit&) = delete;

 private:
  const CudaApi& api_;
};

// The lines of this memory become persisting if a kernel of the stream touches them. Destroy it after those kernels
// have ended.
class PersistingWindow {
 public:
  PersistingWindow(const CudaApi& api, const CudaStream& stream, CUdeviceptr address, std::size_t bytes)
      : api_(api), stream_(stream.get()), limit_(api, bytes) {
    const auto window = window_of(address, bytes);
    PTXLAT_CUDA(api_, cuStreamSetAttribute, stream_, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window);
  }
  ~PersistingWindow() {
    const auto none = window_of(0, 0);
    PTXLAT_CUDA_NOEXCEPT(api_, cuStreamSetAttribute, stream_, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &none);
  }
  PersistingWindow(const PersistingWindow&) = delete;
  PersistingWindow& operator=(const PersistingWindow&) = delete;

 private:
  static CUstreamAttrValue window_of(CUdeviceptr address, std::size_t bytes) {
    CUstreamAttrValue value{};
    value.accessPolicyWindow = {address, bytes, 1.0f, CU_ACCESS_PROPERTY_PERSISTING, CU_ACCESS_PROPERTY_STREAMING};
    return value;
  }

  const CudaApi& api_;
  CUstream stream_;
  PersistingLimit limit_;  // also undone if the stream accepts no window
};

class CudaModule {
 public:
  CudaModule(const CudaApi& api, const void* cubin) : api_(api) {
    PTXLAT_CUDA(api_, cuModuleLoadData, &module_, cubin);
  }
  ~CudaModule() { PTXLAT_CUDA_NOEXCEPT(api_, cuModuleUnload, module_); }
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  CUfunction function(const std::string& name) const {
    CUfunction found = nullptr;
    PTXLAT_CUDA(api_, cuModuleGetFunction, &found, module_, name.c_str());
    return found;
  }

 private:
  const CudaApi& api_;
  CUmodule module_ = nullptr;
};

class DeviceBuffer {
 public:
  DeviceBuffer(const CudaApi& api, std::size_t size) : api_(api) { PTXLAT_CUDA(api_, cuMemAlloc, &address_, size); }
  ~DeviceBuffer() { PTXLAT_CUDA_NOEXCEPT(api_, cuMemFree, address_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  CUdeviceptr address() const { return address_; }

 private:
  const CudaApi& api_;
  CUdeviceptr address_ = 0;
};

// Bytes: drivers map whole pages of this size.
inline constexpr std::size_t mapped_pages = 2 << 20;

// Device memory at a multiple of `alignment`, a power of two of mapped_pages and more. The alignment costs
// only addresses, so that one such buffer can take nearly all of a GPU's memory.
class AlignedBuffer {
 public:
  AlignedBuffer(const CudaApi& api, std::size_t size, std::size_t alignment) : range_(api, size, alignment) {
    const auto aligned = (range_.begin + alignment - 1) & ~(alignment - 1);
    mapping_.emplace(api, range_.device, aligned, range_.mapped);
  }
  CUdeviceptr address() const { return mapping_->address; }

 private:
  // Addresses without memory.
  struct Range {
    Range(const CudaApi& driver, std::size_t size, std::size_t alignment) : api(driver) {
      PTXLAT_CUDA(api, cuCtxGetDevice, &device);
      mapped = (size + mapped_pages - 1) / mapped_pages * mapped_pages;
      bytes = mapped + alignment;
      PTXLAT_CUDA(api, cuMemAddressReserve, &begin, bytes, std::size_t{0}, CUdeviceptr{0}, 0ull);
    }
    ~Range() { PTXLAT_CUDA_NOEXCEPT(api, cuMemAddressFree, begin, bytes); }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

    const CudaApi& api;
    CUdevice device = 0;
    CUdeviceptr begin = 0;
    std::size_t mapped = 0, bytes = 0;
  };

  // Memory at addresses of a range. The handle can be released as soon as the memory is mapped: the memory then lives
  // until it is unmapped.
  struct Mapping {
    Mapping(const CudaApi& driver, CUdevice device, CUdeviceptr at, std::size_t size)
        : api(driver), address(at), bytes(size) {
      const auto memory = memory_of(device);
      CUmemGenericAllocationHandle handle = 0;
      PTXLAT_CUDA(api, cuMemCreate, &handle, bytes, &memory, 0ull);
      const CUresult mapped = api.cuMemMap(address, bytes, 0, handle, 0);
      PTXLAT_CUDA_NOEXCEPT(api, cuMemRelease, handle);
      check_cuda(api, mapped, "cuMemMap", __FILE__, __LINE__);
      const CUmemAccessDesc access{CU_MEM_LOCATION_TYPE_DEVICE, device, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
      const CUresult accessible = api.cuMemSetAccess(address, bytes, &access, 1);
      if (accessible == CUDA_SUCCESS) return;
      PTXLAT_CUDA_NOEXCEPT(api, cuMemUnmap, address, bytes);
      check_cuda(api, accessible, "cuMemSetAccess", __FILE__, __LINE__);
    }
    ~Mapping() { PTXLAT_CUDA_NOEXCEPT(api, cuMemUnmap, address, bytes); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    const CudaApi& api;
    CUdeviceptr address;
    std::size_t bytes;
  };

  Range range_;
  std::optional<Mapping> mapping_;  // released before its addresses
};

// Page-locked host memory: a copy into ordinary memory would not be asynchronous.
class PinnedBuffer {
 public:
  PinnedBuffer(const CudaApi& api, std::size_t size) : api_(api) {
    PTXLAT_CUDA(api_, cuMemHostAlloc, &address_, size, 0u);
  }
  ~PinnedBuffer() { PTXLAT_CUDA_NOEXCEPT(api_, cuMemFreeHost, address_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  unsigned char* data() const { return static_cast<unsigned char*>(address_); }

 private:
  const CudaApi& api_;
  void* address_ = nullptr;
};

class CudaArray {
 public:
  CudaArray(const CudaApi& api, const CUDA_ARRAY3D_DESCRIPTOR& description) : api_(api) {
    PTXLAT_CUDA(api_, cuArray3DCreate, &array_, &description);
  }
  ~CudaArray() { PTXLAT_CUDA_NOEXCEPT(api_, cuArrayDestroy, array_); }
  CudaArray(const CudaArray&) = delete;
  CudaArray& operator=(const CudaArray&) = delete;

  CUarray get() const { return array_; }

 private:
  const CudaApi& api_;
  CUarray array_ = nullptr;
};

// The array must outlive it.
class TextureObject {
 public:
  TextureObject(const CudaApi& api, const CUDA_RESOURCE_DESC& array, const CUDA_TEXTURE_DESC& description) : api_(api) {
    PTXLAT_CUDA(api_, cuTexObjectCreate, &handle_, &array, &description, nullptr);
  }
  ~TextureObject() { PTXLAT_CUDA_NOEXCEPT(api_, cuTexObjectDestroy, handle_); }
  TextureObject(const TextureObject&) = delete;
  TextureObject& operator=(const TextureObject&) = delete;

  CUtexObject get() const { return handle_; }

 private:
  const CudaApi& api_;
  CUtexObject handle_ = 0;
};

// The array must outlive it.
class SurfaceObject {
 public:
  SurfaceObject(const CudaApi& api, const CUDA_RESOURCE_DESC& array) : api_(api) {
    PTXLAT_CUDA(api_, cuSurfObjectCreate, &handle_, &array);
  }
  ~SurfaceObject() { PTXLAT_CUDA_NOEXCEPT(api_, cuSurfObjectDestroy, handle_); }
  SurfaceObject(const SurfaceObject&) = delete;
  SurfaceObject& operator=(const SurfaceObject&) = delete;

  CUsurfObject get() const { return handle_; }

 private:
  const CudaApi& api_;
  CUsurfObject handle_ = 0;
};

}  // namespace ptxlat::gpu
