#pragma once

#include <string>

namespace ptxlat::report {

// Several gzip files one after the other, which every reader takes for one, made on all cores. Equal text gives equal
// bytes: no time, no file name in the headers.
std::string gzip(const std::string& text);

// Throws std::runtime_error for what is truncated, altered or no gzip file.
std::string gunzip(const std::string& compressed);

}  // namespace ptxlat::report
