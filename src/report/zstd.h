// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxlat::report {

// One frame of Zstandard, with its size and a checksum. Equal text gives equal bytes.
std::string zstd(const std::string& text);

// Throws std::runtime_error if it is truncated, altered or not a frame.
std::string unzstd(const std::string& frame);

}  // namespace ptxlat::report
