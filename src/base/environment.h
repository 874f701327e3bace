// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxlat {

// Forgets the environment if this program has more rights than its caller (set-user-ID, capabilities of its file):
// PTXLAT_LIBCUDA, CUDA_HOME, CUDA_INJECTION64_PATH, PATH and others name libraries and programs, which would get those
// rights. Call it before anything else reads a variable.
void forget_environment_of_others();

// The variable's value, or `usual` if it is not set or empty.
const char* environment_or(const char* variable, const char* usual);

}  // namespace ptxlat
