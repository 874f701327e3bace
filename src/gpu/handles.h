#pragma once

#include <cstddef>
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
