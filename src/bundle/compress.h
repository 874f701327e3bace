#pragma once

#include "assemble/assembler.h"

namespace ptxlat::bundle {

// One frame of Zstandard, with its size and a checksum. What repeats itself megabytes apart is found: the same kernels
// as another version assembled them.
Bytes compress(const Bytes& bytes);
// Error{storage} for what compress did not make.
Bytes decompress(const std::uint8_t* frame, std::size_t size);

}  // namespace ptxlat::bundle
