#pragma once

#include <filesystem>
#include <vector>

namespace ptxlat::assemble {

// What a folder holds, sorted and without hidden files; nothing if it cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

}  // namespace ptxlat::assemble
