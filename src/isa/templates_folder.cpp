#include <cstdlib>

#include "error.h"
#include "isa/catalogue.h"

namespace ptxlat {

std::filesystem::path templates_folder() {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("PTXLAT_TEMPLATES"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen)) return chosen;
    throw Error(ExitCode::catalogue, std::string("PTXLAT_TEMPLATES names no folder: ") + chosen);
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path source_tree = fs::path(__FILE__).parent_path().parent_path().parent_path();
  for (const fs::path& candidate : {program / "ptx_templates", program.parent_path() / "share/ptxlat/ptx_templates",
                                    source_tree / "ptx_templates"}) {
    if (fs::is_directory(candidate, ignored)) return candidate;
  }
  throw Error(ExitCode::catalogue, "the folder ptx_templates was not found beside " + program.string(),
              "Set PTXLAT_TEMPLATES to the folder ptx_templates of the ptxlat sources.");
}

}  // namespace ptxlat
