#pragma once

#include <vector>

#include "cuda/functions.h"

namespace ptxlat::cli {

// Has those of `forms` that are CUDA C compiled for an assembler and a target, by the NVRTC that goes with the
// assembler, in a worker process. Where there is no such NVRTC each has that as its problem, with what to do. Nothing
// is looked for where none of the forms is CUDA C.
cuda::CudaFunctions compile_cuda(const std::vector<const isa::Form*>& forms, const assemble::Toolchain& assembler,
                                 const isa::Target& target);

}  // namespace ptxlat::cli
