// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cuda/functions.h"

namespace ptxlat::cli {

// Compiles those of `forms` that are CUDA C for an assembler and a target, with the assembler's NVRTC, in a worker
// process. If there is no such NVRTC, that is each form's problem, with what to do. Does not look for NVRTC if no form
// is CUDA C.
cuda::CudaFunctions compile_cuda(const std::vector<const isa::Form*>& forms, const assemble::Toolchain& assembler,
                                 const isa::Target& target);

}  // namespace ptxlat::cli
