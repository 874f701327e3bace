// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptxlat {

enum class ExitCode : int;

// Name and content of a file.
using NamedContent = std::pair<std::string, std::string>;

// Writes all files under temporary names in `folder` (created if missing), and renames them in the given order only
// when every byte is on the disk. Error{storage} with what to do if that fails; then none of the old files has changed.
// Temporary files that a killed process left for the same names are removed.
void replace_files(const std::filesystem::path& folder, const std::vector<NamedContent>& files);

// The same for one file, anywhere.
void replace_file(const std::filesystem::path& file, const std::string& content);

// Whether folder / path is inside the folder: for paths that come from a file.
bool stays_inside(const std::filesystem::path& path);

// Error{storage} if it cannot be read, is larger than any file of ours (base/limits.h), or is a pipe or a device: these
// may never end, and opening them may wait.
std::string read_file(const std::filesystem::path& file);

// The same for a file that is no part of a store, table or bundle: Error{code} with this advice.
std::string read_file(const std::filesystem::path& file, ExitCode code, const std::string& advice);

}  // namespace ptxlat
