// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxlat::tables {

// Several concatenated gzip members, which every reader treats as one file, made on all cores. Equal text gives equal
// bytes: no time, no file name in the headers.
std::string gzip(const std::string& text);

// Throws std::runtime_error if it is truncated, altered or not a gzip file.
std::string gunzip(const std::string& compressed);

}  // namespace ptxlat::tables
