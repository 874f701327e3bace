// SPDX-License-Identifier: Apache-2.0
#include "gpu/host_objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ptxlat::gpu {
namespace {

constexpr std::size_t texel_bytes = 16;

struct ArrayShape {
  std::string_view name;
  std::size_t width = 0, height = 0, depth = 0;  // 0 if there is no such dimension; depth is also layers and faces
  unsigned flags = 0;
};

// Only a plain 2d array may be gathered from (tld4).
constexpr ArrayShape texture_shapes[] = {
    {"tex_1d", 64, 0, 0, 0},
    {"tex_2d", 64, 64, 0, CUDA_ARRAY3D_TEXTURE_GATHER},
    {"tex_3d", 16, 16, 16, 0},
    {"tex_a1d", 64, 0, 4, CUDA_ARRAY3D_LAYERED},
    {"tex_a2d", 64, 64, 4, CUDA_ARRAY3D_LAYERED},
    {"tex_cube", 32, 32, 6, CUDA_ARRAY3D_CUBEMAP},
    {"tex_acube", 32, 32, 4 * 6, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED},
    {"tex_2d_linear", 64, 64, 0, CUDA_ARRAY3D_TEXTURE_GATHER},
};

constexpr ArrayShape surface_shapes[] = {
    {"surf_1d", 64, 0, 0, CUDA_ARRAY3D_SURFACE_LDST},
    {"surf_2d", 64, 64, 0, CUDA_ARRAY3D_SURFACE_LDST},
    {"surf_3d", 16, 16, 16, CUDA_ARRAY3D_SURFACE_LDST},
    {"surf_a1d", 64, 0, 4, CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_LAYERED},
    {"surf_a2d", 64, 64, 4, CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_LAYERED},
};

struct TensorRecipe {
  std::string_view name;
  std::uint32_t rank = 1;
  bool is_im2col = false;
};

constexpr TensorRecipe tensor_recipes[] = {
    {"tensormap_1d", 1},
    {"tensormap_2d", 2},
    {"tensormap_3d", 3},
    {"tensormap_4d", 4},
    {"tensormap_5d", 5},
    {"tensormap_im2col_3d", 3, true},
    {"tensormap_im2col_4d", 4, true},
    {"tensormap_im2col_5d", 5, true},
};

std::uint32_t offset_of(std::string_view name) {
  return std::find_if(std::begin(host_objects), std::end(host_objects),
                      [&](const HostObject& object) { return object.name == name; })
      ->offset;
}

// New arrays are not initialised.
void fill_with_zeros(const CudaApi& api, const CudaArray& array, const ArrayShape& shape) {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = shape.width * texel_bytes;
  copy.Height = std::max<std::size_t>(shape.height, 1);
  copy.Depth = std::max<std::size_t>(shape.depth, 1);
  const std::vector<unsigned char> zeros(copy.WidthInBytes * copy.Height * copy.Depth);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = zeros.data();
  copy.srcPitch = copy.WidthInBytes;
  copy.srcHeight = copy.Height;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array.get();
  PTXLAT_CUDA(api, cuMemcpy3D, &copy);
}

CUDA_RESOURCE_DESC make_array(const CudaApi& api, const ArrayShape& shape, CUarray_format format,
                              std::list<CudaArray>& arrays) {
  const CUDA_ARRAY3D_DESCRIPTOR description{shape.width, shape.height, shape.depth, format, 4, shape.flags};
  arrays.emplace_back(api, description);
  fill_with_zeros(api, arrays.back(), shape);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = arrays.back().get();
  return resource;
}

CUDA_TEXTURE_DESC texture_description(const ArrayShape& shape) {
  CUDA_TEXTURE_DESC description{};
  std::fill(std::begin(description.addressMode), std::end(description.addressMode), CU_TR_ADDRESS_MODE_CLAMP);
  description.filterMode = shape.name == "tex_2d_linear" ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  description.flags = shape.flags & CUDA_ARRAY3D_CUBEMAP ? CU_TRSF_NORMALIZED_COORDINATES : 0;
  return description;
}

// A tensor of 16 × 16 × 8 × 8 × 4 elements, or as many of these dimensions as it has.
void encode_tensor_map(const CudaApi& api, const TensorRecipe& recipe, CUdeviceptr tensor, CUtensorMap& map) {
  constexpr std::uint64_t sizes[5] = {16, 16, 8, 8, 4};
  constexpr std::uint32_t element_strides[5] = {1, 1, 1, 1, 1};
  std::uint64_t strides[4] = {sizeof(std::uint32_t) * sizes[0]};
  for (int i = 1; i < 4; ++i) strides[i] = strides[i - 1] * sizes[i];
  void* address = reinterpret_cast<void*>(tensor);
  if (recipe.is_im2col) {
    constexpr int whole_image[3] = {0, 0, 0};
    PTXLAT_CUDA(api, cuTensorMapEncodeIm2col, &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, recipe.rank, address, sizes,
                strides, whole_image, whole_image, 16u, 1u, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  } else {
    constexpr std::uint32_t box[5] = {16, 1, 1, 1, 1};
    PTXLAT_CUDA(api, cuTensorMapEncodeTiled, &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, recipe.rank, address, sizes, strides,
                box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
}

}  // namespace

HostObjects::HostObjects(const CudaApi& api, const std::vector<CUdeviceptr>& tensors, unsigned char* pages) {
  const auto attempt = [&](std::string_view name, unsigned char* page, const auto& make) {
    try {
      const auto object = make();
      std::memcpy(page + offset_of(name), &object, sizeof object);
    } catch (const CudaError& error) {
      auto& rejected = rejected_[error.driver_words];
      if (std::find(rejected.begin(), rejected.end(), name) == rejected.end()) rejected.push_back(name);
    }
  };
  for (const ArrayShape& shape : texture_shapes)
    attempt(shape.name, pages, [&] {
      const auto array = make_array(api, shape, CU_AD_FORMAT_FLOAT, arrays_);
      return textures_.emplace_back(api, array, texture_description(shape)).get();
    });
  for (const ArrayShape& shape : surface_shapes)
    attempt(shape.name, pages, [&] {
      return surfaces_.emplace_back(api, make_array(api, shape, CU_AD_FORMAT_UNSIGNED_INT32, arrays_)).get();
    });
  for (std::size_t number = 0; number < tensors.size(); ++number) {
    auto* page = pages + number * object_page_bytes;
    if (number > 0) std::memcpy(page, pages, offset_of(tensor_recipes[0].name));
    for (const TensorRecipe& recipe : tensor_recipes)
      attempt(recipe.name, page, [&] {
        CUtensorMap map{};
        encode_tensor_map(api, recipe, tensors[number], map);
        return map;
      });
  }
}

std::string HostObjects::rejected() const {
  std::string text;
  for (const auto& [words, names] : rejected_)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", fmt::join(names, ", "), words);
  return text;
}

}  // namespace ptxlat::gpu
