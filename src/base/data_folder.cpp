// SPDX-License-Identifier: Apache-2.0
#include "base/data_folder.h"

namespace ptxlat {

std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::filesystem::path data_folder(const std::string& name,
                                  const std::function<bool(const std::filesystem::path&)>& is_right) {
  const auto program = program_folder();
  if (auto installed = program.parent_path() / "share/ptxlat" / name; is_right(installed)) return installed;
  for (auto folder = program; !folder.empty(); folder = folder.parent_path()) {
    if (is_right(folder / name)) return folder / name;
    if (folder == folder.root_path()) break;
  }
  return {};
}

}  // namespace ptxlat
