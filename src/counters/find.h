// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptxlat::counters {

// Only the libcupti that $PTXLAT_LIBCUPTI names, if set; else all in the folders of CUDA toolkits
// (assemble/toolchain.h), in lib, lib64 or extras/CUPTI/lib64 of each; each file once.
std::vector<std::filesystem::path> cupti_libraries();

// The counter of all instructions executed by the SMs, one per warp.
inline constexpr char executed_counter[] = "sm__inst_executed";

// The pipes for which a chip counts executed instructions, by the names of its counters: "fmaheavy" of
// "sm__inst_executed_pipe_fmaheavy", in alphabetical order. Counters for a part of a pipe's instructions
// ("tensor_op_hmma" next to "tensor") and sums of several pipes ("fma" next to "fmaheavy" and "fmalite") are left out.
std::vector<std::string> pipes_among(const std::vector<std::string>& counters);

std::string counter_of_pipe(const std::string& pipe);

}  // namespace ptxlat::counters
