// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace ptxlat::counters {

// Only the libcupti that $PTXLAT_LIBCUPTI names, if set; else all in the folders of CUDA toolkits
// (assemble/toolchain.h), in lib, lib64 or extras/CUPTI/lib64 of each; each file once.
std::vector<std::filesystem::path> cupti_libraries();

// The `ncu` of $PTXLAT_NCU, if set; else of $PATH or, without one there, of a CUDA toolkit. Empty if there is none.
std::filesystem::path find_ncu();

}  // namespace ptxlat::counters
