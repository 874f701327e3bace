// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "base/error.h"
#include "isa/catalogue.h"

namespace ptxlat::isa {

std::filesystem::path templates_folder() {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("PTXLAT_TEMPLATES"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen)) return chosen;
    throw Error(ExitCode::catalogue, std::string("PTXLAT_TEMPLATES is not a folder: ") + chosen);
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  if (auto installed = program.parent_path() / "share/ptxlat/ptx_templates"; fs::is_directory(installed, ignored))
    return installed;
  // Next to the program, or above it: a build folder is in the source tree.
  for (auto folder = program; !folder.empty(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / "ptx_templates", ignored)) return folder / "ptx_templates";
    if (folder == folder.root_path()) break;
  }
  throw Error(ExitCode::catalogue, "the folder ptx_templates was not found next to or above " + program.string(),
              "Set PTXLAT_TEMPLATES to the folder ptx_templates of the ptxlat sources.");
}

}  // namespace ptxlat::isa
