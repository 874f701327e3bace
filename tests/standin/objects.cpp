// SPDX-License-Identifier: Apache-2.0

// The part of the stand-in driver that makes arrays, textures, surfaces and tensor maps, and the copies that know
// arrays; a stand-in without this file is an old driver. It keeps nothing in the arrays and gives handles that nobody
// looks behind, but rejects what the real driver's rules forbid. A tensor map begins with the tensor's address; a tiled
// one goes on with its swizzle and with the size and the box of each dimension. PTXLAT_STANDIN_REFUSE: functions with
// this in their name fail.
#include <cstdlib>
#include <cstring>
#include <string>

#include "context.h"

using namespace ptxlat;
using namespace ptxlat::gpu;
using standin::bytes_from;

namespace {

constexpr CUmemorytype device_memory = 2;  // CU_MEMORYTYPE_DEVICE

// CUDA_MEMCPY2D of cuda.h.
struct Copy2D {
  std::size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes, Height;
};

struct Array {
  CUDA_ARRAY3D_DESCRIPTOR description;
};

unsigned long long handles_made = 0;

bool is_refused(const char* function) {
  const char* part = std::getenv("PTXLAT_STANDIN_REFUSE");
  return part && *part && std::string(function).find(part) != std::string::npos;
}

const CUDA_ARRAY3D_DESCRIPTOR& description_of(CUarray array) {
  return reinterpret_cast<const Array*>(array)->description;
}

// The table of extents in the documentation of cuArray3DCreate.
bool has_valid_extents(const CUDA_ARRAY3D_DESCRIPTOR& array) {
  const bool is_layered = array.Flags & CUDA_ARRAY3D_LAYERED;
  if (array.Width == 0) return false;
  if (array.Flags & CUDA_ARRAY3D_CUBEMAP)
    return array.Width == array.Height && (is_layered ? array.Depth % 6 == 0 : array.Depth == 6);
  if (array.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) return array.Height > 0 && array.Depth == 0;
  return is_layered ? array.Depth > 0 : array.Height > 0 || array.Depth == 0;
}

bool are_valid_strides(std::uint32_t rank, const std::uint64_t* sizes, const std::uint64_t* strides) {
  for (std::uint32_t i = 0; i + 1 < rank; ++i)
    if (strides[i] % 16 != 0 || strides[i] < sizes[i]) return false;
  return true;
}

// Of the types that ptxlat uses; 0 for the others.
std::uint64_t element_bytes(CUtensorMapDataType type) {
  return type == CU_TENSOR_MAP_DATA_TYPE_UINT8 ? 1 : type == CU_TENSOR_MAP_DATA_TYPE_UINT32 ? 4 : 0;
}

// The rules about boxes in the documentation of cuTensorMapEncodeTiled, without interleaving.
bool is_valid_box(std::uint32_t rank, std::uint64_t element, const std::uint32_t* box, CUtensorMapSwizzle swizzle) {
  for (std::uint32_t i = 0; i < rank; ++i)
    if (box[i] == 0 || box[i] > 256) return false;
  if (element * box[0] % 16 != 0) return false;
  return swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || element * box[0] <= 16u << swizzle;
}

// Unlike the real driver, it wants all of a tensor in one allocation.
bool is_in_memory(std::uint32_t rank, std::uint64_t element, const void* address, const std::uint64_t* sizes,
                  const std::uint64_t* strides) {
  const auto at = reinterpret_cast<CUdeviceptr>(address);
  const std::uint64_t bytes = rank > 1 ? sizes[rank - 1] * strides[rank - 2] : sizes[0] * element;
  return at % 16 == 0 && bytes > 0 && bytes <= bytes_from(at);
}

// One side of a copy between host and device memory.
struct Side {
  std::size_t x, y, z;
  std::size_t pitch, height;
  CUmemorytype type;
  unsigned char* bytes;

  unsigned char* row(std::size_t row_y, std::size_t row_z) const {
    return bytes + ((z + row_z) * height + y + row_y) * pitch + x;
  }
  bool has_room(const CUDA_MEMCPY3D& copy) const {
    if (copy.Height > 1 && pitch < x + copy.WidthInBytes) return false;
    if (copy.Depth > 1 && height < y + copy.Height) return false;
    if (type != device_memory) return type == CU_MEMORYTYPE_HOST;
    const unsigned char* end = row(copy.Height - 1, copy.Depth - 1) + copy.WidthInBytes;
    return static_cast<std::size_t>(end - bytes) <= bytes_from(reinterpret_cast<CUdeviceptr>(bytes));
  }
};

Side source_of(const CUDA_MEMCPY3D& copy) {
  void* bytes =
      copy.srcMemoryType == device_memory ? reinterpret_cast<void*>(copy.srcDevice) : const_cast<void*>(copy.srcHost);
  return {copy.srcXInBytes,
          copy.srcY,
          copy.srcZ,
          copy.srcPitch,
          copy.srcHeight,
          copy.srcMemoryType,
          static_cast<unsigned char*>(bytes)};
}

Side destination_of(const CUDA_MEMCPY3D& copy) {
  void* bytes = copy.dstMemoryType == device_memory ? reinterpret_cast<void*>(copy.dstDevice) : copy.dstHost;
  return {copy.dstXInBytes,
          copy.dstY,
          copy.dstZ,
          copy.dstPitch,
          copy.dstHeight,
          copy.dstMemoryType,
          static_cast<unsigned char*>(bytes)};
}

CUresult copy_rows(const CUDA_MEMCPY3D& copy) {
  const Side from = source_of(copy), to = destination_of(copy);
  if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return CUDA_SUCCESS;
  if (!from.has_room(copy) || !to.has_room(copy)) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t z = 0; z < copy.Depth; ++z)
    for (std::size_t y = 0; y < copy.Height; ++y) std::memcpy(to.row(y, z), from.row(y, z), copy.WidthInBytes);
  return CUDA_SUCCESS;
}

}  // namespace

STANDIN_API CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (!has_valid_extents(*description)) return CUDA_ERROR_INVALID_VALUE;
  return *array = reinterpret_cast<CUarray>(new Array{*description}), CUDA_SUCCESS;
}
STANDIN_API CUresult cuArrayDestroy(CUarray array) { return delete reinterpret_cast<Array*>(array), CUDA_SUCCESS; }
STANDIN_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  if (copy->dstMemoryType != CU_MEMORYTYPE_ARRAY) return copy_rows(*copy);
  const auto& array = description_of(copy->dstArray);
  const std::size_t rows = array.Height > 0 ? array.Height : 1, slices = array.Depth > 0 ? array.Depth : 1;
  const bool fits = copy->WidthInBytes <= array.Width * 16 && copy->Height <= rows && copy->Depth <= slices;
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
STANDIN_API CUresult cuMemcpy2D_v2(const Copy2D* flat) {
  CUDA_MEMCPY3D copy{};
  copy.srcXInBytes = flat->srcXInBytes;
  copy.srcY = flat->srcY;
  copy.srcMemoryType = flat->srcMemoryType;
  copy.srcHost = flat->srcHost;
  copy.srcDevice = flat->srcDevice;
  copy.srcPitch = flat->srcPitch;
  copy.dstXInBytes = flat->dstXInBytes;
  copy.dstY = flat->dstY;
  copy.dstMemoryType = flat->dstMemoryType;
  copy.dstHost = flat->dstHost;
  copy.dstDevice = flat->dstDevice;
  copy.dstArray = flat->dstArray;
  copy.dstPitch = flat->dstPitch;
  copy.WidthInBytes = flat->WidthInBytes;
  copy.Height = flat->Height;
  copy.Depth = 1;
  return cuMemcpy3D_v2(&copy);
}

STANDIN_API CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                                       const CUDA_TEXTURE_DESC*, const CUDA_RESOURCE_VIEW_DESC*) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (resource->resType == CU_RESOURCE_TYPE_LINEAR) {
    const auto& linear = resource->res.linear;
    const bool is_memory = linear.bytes > 0 && bytes_from(linear.address) >= linear.bytes && linear.address % 256 == 0;
    return is_memory ? (*texture = ++handles_made, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE;
  }
  if (!resource->res.array.hArray) return CUDA_ERROR_INVALID_VALUE;
  return *texture = ++handles_made, CUDA_SUCCESS;
}
STANDIN_API CUresult cuTexObjectDestroy(CUtexObject) { return CUDA_SUCCESS; }
STANDIN_API CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (!(description_of(resource->res.array.hArray).Flags & CUDA_ARRAY3D_SURFACE_LDST)) return CUDA_ERROR_INVALID_VALUE;
  return *surface = ++handles_made, CUDA_SUCCESS;
}
STANDIN_API CUresult cuSurfObjectDestroy(CUsurfObject) { return CUDA_SUCCESS; }

STANDIN_API CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, std::uint32_t rank,
                                            void* address, const std::uint64_t* sizes, const std::uint64_t* strides,
                                            const std::uint32_t* box, const std::uint32_t*, CUtensorMapInterleave,
                                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                            CUtensorMapFloatOOBfill) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
  const std::uint64_t element = element_bytes(type);
  if (element == 0 || rank < 1 || rank > 5 || !are_valid_strides(rank, sizes, strides) ||
      !is_valid_box(rank, element, box, swizzle) || !is_in_memory(rank, element, address, sizes, strides))
    return CUDA_ERROR_INVALID_VALUE;
  *map = {{reinterpret_cast<CUdeviceptr>(address), static_cast<std::uint64_t>(swizzle)}};
  for (std::uint32_t i = 0; i < rank; ++i) map->opaque[2 + 2 * i] = sizes[i], map->opaque[3 + 2 * i] = box[i];
  return CUDA_SUCCESS;
}
STANDIN_API CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType, std::uint32_t rank, void* address,
                                             const std::uint64_t* sizes, const std::uint64_t* strides, const int*,
                                             const int*, std::uint32_t, std::uint32_t, const std::uint32_t*,
                                             CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                             CUtensorMapFloatOOBfill) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (rank < 3 || !are_valid_strides(rank, sizes, strides)) return CUDA_ERROR_INVALID_VALUE;
  return std::memcpy(map, &address, sizeof address), CUDA_SUCCESS;
}
