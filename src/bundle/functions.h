// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bundle/files.h"
#include "cuda/functions.h"

namespace ptxlat::bundle {

// CUDA C functions are among a bundle's files, as compiled by the NVRTC of each toolchain.
void add_functions(Files& files, const std::string& toolchain, const cuda::CudaFunctions& functions);

// Those of a toolchain; none if the bundle has none. Error{storage} if add_functions did not write them.
cuda::CudaFunctions functions_in(const Files& files, const std::string& toolchain);

}  // namespace ptxlat::bundle
