// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "base/data_folder.h"
#include "base/error.h"
#include "isa/catalogue.h"

namespace ptxlat::isa {

std::filesystem::path templates_folder() {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("PTXLAT_TEMPLATES"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen)) return chosen;
    throw Error(ExitCode::catalogue, std::string("PTXLAT_TEMPLATES is not a folder: ") + chosen);
  }
  const auto is_folder = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder, ignored);
  };
  if (auto found = data_folder("ptx_templates", is_folder); !found.empty()) return found;
  throw Error(ExitCode::catalogue,
              "the folder ptx_templates was not found next to or above " + program_folder().string(),
              "Set PTXLAT_TEMPLATES to the folder ptx_templates of the ptxlat sources.");
}

}  // namespace ptxlat::isa
