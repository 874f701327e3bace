// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/handles.h"

namespace ptxlat::gpu {

// For objects that only the host can make.
inline constexpr std::size_t object_page_bytes = 8 * 1024;

struct HostObject {
  std::string_view name;
  std::uint32_t offset = 0;  // in the object page
};

// Handles of 8 bytes and tensor maps of 128. ptx_templates/isa/host_objects.toml has the same offsets; a test compares.
//
// Left out, because the Driver API cannot make them: multi-sample textures (2dms, a2dms), which only a graphics API
// has, and samplers separate from their texture. In the unified mode of a module without .texmode_independent a
// texture's handle includes its sampler (PTX ISA 9.7.10.1).
inline constexpr HostObject host_objects[] = {
    {"tex_1d", 8},
    {"tex_2d", 16},
    {"tex_3d", 24},
    {"tex_a1d", 32},
    {"tex_a2d", 40},
    {"tex_cube", 48},
    {"tex_acube", 56},
    {"tex_2d_linear", 64},
    {"surf_1d", 128},
    {"surf_2d", 136},
    {"surf_3d", 144},
    {"surf_a1d", 152},
    {"surf_a2d", 160},
    {"tensormap_1d", 4096},
    {"tensormap_2d", 4224},
    {"tensormap_3d", 4352},
    {"tensormap_4d", 4480},
    {"tensormap_5d", 4608},
    {"tensormap_im2col_3d", 4736},
    {"tensormap_im2col_4d", 4864},
    {"tensormap_im2col_5d", 4992},
};

// The used bytes of the object page.
inline constexpr std::size_t objects_end = 4992 + sizeof(CUtensorMap);

// The objects that kernels find in the object page. An object that the driver rejects stays zero and only costs the
// kernels that use it.
//   textures      32-bit floats × 4, all zero: zero bits are 0 in every type, and the texture unit does not convert
//                 32-bit channels, so that one texture serves tex.*.f32, .s32 and .u32. Point filter (tex_2d_linear:
//                 linear) and texel coordinates; cubes need normalised ones. 64 texels in one, 64 × 64 in two and
//                 16 × 16 × 16 in three dimensions, 4 layers, cubes of 32 × 32.
//   surfaces      32-bit integers × 4, of the same sizes
//   tensor maps   of unsigned 32-bit integers, which every reduction takes (PTX ISA 9.7.9.27.1.3; floats only .add),
//                 at the page's own line of scratch memory, in boxes of 16 × 1 × … elements (64 bytes), or im2col
//                 columns of 16 channels × 1 pixel, without swizzle
class HostObjects {
 public:
  // Writes an object page for each address of tensors, one after another, to `pages`, which are zero before: all have
  // the same handles.
  HostObjects(const CudaApi& api, const std::vector<CUdeviceptr>& tensors, unsigned char* pages);

  // Those that the driver rejected, with its messages: "tex_1d, tex_2d (CUDA_ERROR_NOT_SUPPORTED: …)". Empty if it made
  // all.
  std::string rejected() const;

 private:
  // Lists, because these objects neither move nor copy; arrays first, so that they outlive the objects that read them.
  std::list<CudaArray> arrays_;
  std::list<TextureObject> textures_;
  std::list<SurfaceObject> surfaces_;
  std::map<std::string, std::vector<std::string_view>> rejected_;  // by the driver's message
};

}  // namespace ptxlat::gpu
