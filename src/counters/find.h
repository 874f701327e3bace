#pragma once

#include <filesystem>
#include <vector>

namespace ptxlat::counters {

// The libcupti that $PTXLAT_LIBCUPTI names, and that alone; else all that are in the places of CUDA toolkits
// (assemble/toolchain.h), in lib, lib64 or extras/CUPTI/lib64 of each; each file once.
std::vector<std::filesystem::path> cupti_libraries();

}  // namespace ptxlat::counters
