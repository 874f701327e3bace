// SPDX-License-Identifier: Apache-2.0
#include "base/toolkits_script.h"

#include <filesystem>

namespace ptxlat {

std::string toolkits_script() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path().parent_path() / "share/ptxlat/tools/toolkits.sh";
  return !error && std::filesystem::exists(installed, error) ? installed.string() : "tools/toolkits.sh";
}

}  // namespace ptxlat
