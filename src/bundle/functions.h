#pragma once

#include <string>

#include "bundle/files.h"
#include "cuda/functions.h"

namespace ptxlat::bundle {

// Functions of CUDA C travel among a bundle's files, as what the NVRTC of each toolchain made of them.
void add_functions(Files& files, const std::string& toolchain, const cuda::CudaFunctions& functions);

// Those of a toolchain; none where the bundle has none. Error{storage} for what add_functions did not write.
cuda::CudaFunctions functions_in(const Files& files, const std::string& toolchain);

}  // namespace ptxlat::bundle
