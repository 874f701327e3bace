#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptxlat {

// Name and content of a file.
using NamedContent = std::pair<std::string, std::string>;

// Writes all of them to temporary names in `folder` (made if missing), and only when every byte is on the disk renames
// them in the order given. Error{storage} with what to do if that fails; then none of the old files has changed.
void replace_files(const std::filesystem::path& folder, const std::vector<NamedContent>& files);

// The same of one file, wherever it lies.
void replace_file(const std::filesystem::path& file, const std::string& content);

// Error{storage} if it cannot be read.
std::string read_file(const std::filesystem::path& file);

}  // namespace ptxlat
