// SPDX-License-Identifier: Apache-2.0
#include "base/toolkits_script.h"

#include <filesystem>

#include "base/data_folder.h"

namespace ptxlat {

std::string toolkits_script() {
  std::error_code ignored;
  const auto installed = program_folder().parent_path() / "share/ptxlat/tools/toolkits.sh";
  return std::filesystem::exists(installed, ignored) ? installed.string() : "tools/toolkits.sh";
}

}  // namespace ptxlat
