// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxlat::tables {

// Several concatenated gzip members, which every reader treats as one file, made on all cores. Equal text gives equal
// bytes: no time, no file name in the headers.
std::string gzip(const std::string& text);

// Throws std::runtime_error if it is truncated, altered or not a gzip file.
std::string gunzip(const std::string& compressed);

// One frame of Zstandard, with its size and a checksum. Equal text gives equal bytes.
std::string zstd(std::string_view text);

// Throws std::runtime_error if it is truncated, altered or not a frame, or if it refers to a different base (the text
// after --patch-from of the program zstd).
std::string unzstd(const std::string& frame, std::string_view base = {});

}  // namespace ptxlat::tables
