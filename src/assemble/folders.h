// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace ptxlat::assemble {

// The contents of a folder, sorted and without hidden files; empty if it cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

}  // namespace ptxlat::assemble
