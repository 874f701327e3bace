// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptxlat::assemble {

// The contents of a folder, sorted and without hidden files; empty if it cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

// A toolkit's library by its own words, without being loaded: a broken one must not take this process down.
//   version  "13.0.88"; empty if it is broken
//   problem  "is truncated: …"; empty if it is intact
struct LibraryFile {
  std::string version;
  std::string problem;
};
LibraryFile examine_library(const std::filesystem::path& path);

}  // namespace ptxlat::assemble
