// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace ptxlat {

// Forgets the environment if this program has more rights than its caller (set-user-ID, capabilities of its file):
// PTXLAT_LIBCUDA, CUDA_HOME, CUDA_INJECTION64_PATH, PATH and others name libraries and programs, which would get those
// rights. Call it before anything else reads a variable.
void forget_environment_of_others();

// The variable's value, or `usual` if it is not set or empty.
const char* environment_or(const char* variable, const char* usual);

// The folder of this program's file; empty where there is no /proc.
std::filesystem::path program_folder();

// The first folder NAME that `is_right` accepts: share/ptxlat/NAME of the prefix that this program is installed in,
// else NAME next to the program or above it, since a build folder is in the source tree. Empty if there is none.
std::filesystem::path data_folder(const std::string& name,
                                  const std::function<bool(const std::filesystem::path&)>& is_right);

// Where answers of slow programs are kept between runs: $PTXLAT_CACHE, else ptxlat/ in $XDG_CACHE_HOME or ~/.cache.
// Empty if $PTXLAT_CACHE is "off", or if there is no home.
std::filesystem::path cache_folder();

// What downloads assemblers, disassemblers and NVRTC, as messages name it: "ptxlat toolkits" where ptxlat is installed,
// the script "tools/toolkits.sh" in a checkout, whose program is not in PATH.
std::string toolkits_script();

// $PTXLAT_DEADLINE_FACTOR, which slow machines (emulators, sanitizers, a host full of jobs) set above 1; 1 if it is not
// set or empty. Error{usage} if it is not a number from 0.01 to 1000.
double deadline_factor();

// How long to wait for a program, a driver or a kernel: `usual` times the factor.
std::chrono::milliseconds scaled_deadline(std::chrono::milliseconds usual);

}  // namespace ptxlat
