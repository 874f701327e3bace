// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxlat::gpu {

// The Driver API's descriptors of arrays, textures, surfaces, tensor maps and windows of memory, with the layout of
// cuda.h.
using CUdeviceptr = unsigned long long;
using CUarray = struct CUarray_st*;
using CUtexObject = unsigned long long;
using CUsurfObject = unsigned long long;
using CUarray_format = int;
using CUfilter_mode = int;
using CUaddress_mode = int;
using CUmemorytype = int;
using CUresourcetype = int;

inline constexpr CUarray_format CU_AD_FORMAT_UNSIGNED_INT32 = 0x03;
inline constexpr CUarray_format CU_AD_FORMAT_FLOAT = 0x20;

inline constexpr unsigned CUDA_ARRAY3D_LAYERED = 0x01;
inline constexpr unsigned CUDA_ARRAY3D_SURFACE_LDST = 0x02;
inline constexpr unsigned CUDA_ARRAY3D_CUBEMAP = 0x04;
inline constexpr unsigned CUDA_ARRAY3D_TEXTURE_GATHER = 0x08;

inline constexpr CUaddress_mode CU_TR_ADDRESS_MODE_CLAMP = 1;
inline constexpr CUfilter_mode CU_TR_FILTER_MODE_POINT = 0;
inline constexpr CUfilter_mode CU_TR_FILTER_MODE_LINEAR = 1;
inline constexpr unsigned CU_TRSF_READ_AS_INTEGER = 0x01;
inline constexpr unsigned CU_TRSF_NORMALIZED_COORDINATES = 0x02;

inline constexpr CUmemorytype CU_MEMORYTYPE_HOST = 1;
inline constexpr CUmemorytype CU_MEMORYTYPE_ARRAY = 3;
inline constexpr CUresourcetype CU_RESOURCE_TYPE_ARRAY = 0;
inline constexpr CUresourcetype CU_RESOURCE_TYPE_LINEAR = 2;

struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t Width;
  std::size_t Height;
  std::size_t Depth;
  CUarray_format Format;
  unsigned NumChannels;
  unsigned Flags;
};

struct CUDA_RESOURCE_DESC {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      std::uint64_t address;
      CUarray_format format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    int reserved[32];
  } res;
  unsigned flags;
};

inline constexpr int CU_MEM_ALLOCATION_TYPE_PINNED = 1;
inline constexpr int CU_MEM_LOCATION_TYPE_DEVICE = 1;
inline constexpr int CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0;

struct CUmemAllocationProp {
  int type;
  int handle_types;
  int location_type;
  int location_id;
  void* win32_handle;
  unsigned char flags[8];
};

// Memory of this device.
inline CUmemAllocationProp memory_of(int device) {
  CUmemAllocationProp memory{};
  memory.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory.location_type = CU_MEM_LOCATION_TYPE_DEVICE;
  memory.location_id = device;
  return memory;
}

using CUmemGenericAllocationHandle = unsigned long long;

inline constexpr int CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3;

struct CUmemAccessDesc {
  int location_type;
  int location_id;
  int flags;
};

struct CUDA_TEXTURE_DESC {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned flags;
  unsigned maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};

// Always null here: a view would read an array in a different format.
struct CUDA_RESOURCE_VIEW_DESC;

struct CUDA_MEMCPY3D {
  std::size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  std::size_t srcPitch, srcHeight;
  std::size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  std::size_t dstPitch, dstHeight;
  std::size_t WidthInBytes, Height, Depth;
};

struct alignas(128) CUtensorMap {
  std::uint64_t opaque[16];
};

using CUtensorMapDataType = int;
inline constexpr CUtensorMapDataType CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0;
inline constexpr CUtensorMapDataType CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2;
using CUtensorMapInterleave = int;
inline constexpr CUtensorMapInterleave CU_TENSOR_MAP_INTERLEAVE_NONE = 0;
using CUtensorMapSwizzle = int;
inline constexpr CUtensorMapSwizzle CU_TENSOR_MAP_SWIZZLE_NONE = 0;
inline constexpr CUtensorMapSwizzle CU_TENSOR_MAP_SWIZZLE_32B = 1;
inline constexpr CUtensorMapSwizzle CU_TENSOR_MAP_SWIZZLE_64B = 2;
inline constexpr CUtensorMapSwizzle CU_TENSOR_MAP_SWIZZLE_128B = 3;
using CUtensorMapL2promotion = int;
inline constexpr CUtensorMapL2promotion CU_TENSOR_MAP_L2_PROMOTION_NONE = 0;
using CUtensorMapFloatOOBfill = int;
inline constexpr CUtensorMapFloatOOBfill CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0;

using CUaccessProperty = int;
inline constexpr CUaccessProperty CU_ACCESS_PROPERTY_STREAMING = 1;
inline constexpr CUaccessProperty CU_ACCESS_PROPERTY_PERSISTING = 2;

struct CUaccessPolicyWindow {
  CUdeviceptr base_ptr;
  std::size_t num_bytes;
  float hitRatio;
  CUaccessProperty hitProp;
  CUaccessProperty missProp;
};

union CUstreamAttrValue {
  char pad[64];
  CUaccessPolicyWindow accessPolicyWindow;
};

}  // namespace ptxlat::gpu
