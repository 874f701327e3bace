// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace ptxlat::counters {

// Only the libcupti that $PTXLAT_LIBCUPTI names, if set; else all in the folders of CUDA toolkits
// (assemble/toolchain.h), in lib, lib64 or extras/CUPTI/lib64 of each; each file once.
std::vector<std::filesystem::path> cupti_libraries();

}  // namespace ptxlat::counters
