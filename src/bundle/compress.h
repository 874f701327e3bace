// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assemble/assembler.h"

namespace ptxlat::bundle {

// One frame of Zstandard, with its size and a checksum. Repetitions megabytes apart are found: the same kernels
// assembled by a different version.
Bytes compress(const Bytes& bytes);
// Error{storage} if compress did not make it.
Bytes decompress(const std::uint8_t* frame, std::size_t size);

}  // namespace ptxlat::bundle
