// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace ptxlat {

// The folder of this program's file; empty where there is no /proc.
std::filesystem::path program_folder();

// The first folder NAME that `is_right` accepts: share/ptxlat/NAME of the prefix that this program is installed in,
// else NAME next to the program or above it, since a build folder is in the source tree. Empty if there is none.
std::filesystem::path data_folder(const std::string& name,
                                  const std::function<bool(const std::filesystem::path&)>& is_right);

}  // namespace ptxlat
