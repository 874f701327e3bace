// The part of the stand-in driver that makes arrays, textures, surfaces and tensor maps; a stand-in without this file
// is an old driver. It keeps nothing in the arrays and gives handles that nobody looks behind, but refuses what the
// real driver's rules forbid. PTXLAT_STANDIN_REFUSE: functions with this in their name fail.
#include <cstdlib>
#include <cstring>
#include <string>

#include "gpu/cuda_api.h"

using namespace ptxlat;

namespace {

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

}  // namespace

#define STANDIN_API extern "C" __attribute__((visibility("default")))

STANDIN_API CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (!has_valid_extents(*description)) return CUDA_ERROR_INVALID_VALUE;
  return *array = reinterpret_cast<CUarray>(new Array{*description}), CUDA_SUCCESS;
}
STANDIN_API CUresult cuArrayDestroy(CUarray array) { return delete reinterpret_cast<Array*>(array), CUDA_SUCCESS; }
STANDIN_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  const auto& array = description_of(copy->dstArray);
  const std::size_t rows = array.Height > 0 ? array.Height : 1, slices = array.Depth > 0 ? array.Depth : 1;
  const bool fits = copy->WidthInBytes <= array.Width * 16 && copy->Height <= rows && copy->Depth <= slices;
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

STANDIN_API CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                                       const CUDA_TEXTURE_DESC*, const CUDA_RESOURCE_VIEW_DESC*) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
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

STANDIN_API CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, std::uint32_t rank, void* address,
                                            const std::uint64_t* sizes, const std::uint64_t* strides,
                                            const std::uint32_t*, const std::uint32_t*, CUtensorMapInterleave,
                                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (is_refused(__func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (!are_valid_strides(rank, sizes, strides)) return CUDA_ERROR_INVALID_VALUE;
  return std::memcpy(map, &address, sizeof address), CUDA_SUCCESS;
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
