#pragma once

#include <filesystem>
#include <vector>

namespace ptxlat {

// What a folder holds, sorted and without hidden files; nothing if it cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

}  // namespace ptxlat
