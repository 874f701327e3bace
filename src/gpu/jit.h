// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "assemble/assembler.h"
#include "gpu/cuda_api.h"

namespace ptxlat::gpu {

// Assembles a module of PTX with the driver's JIT and returns the cubin, without loading it. Needs a current context.
// cuLink* because, unlike cuModuleLoadDataEx, it returns the cubin to audit and runs in parallel (method.md, trap 18).
//   device_sm   the current device's, the JIT's default target
//   level       0…4
assemble::ModuleOutcome jit_assemble(const CudaApi& api, int device_sm, const std::string& ptx,
                                     const isa::Target& target, int level);

}  // namespace ptxlat::gpu
