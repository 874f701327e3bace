// SPDX-License-Identifier: Apache-2.0
#include "counters/find.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include "assemble/folders.h"
#include "assemble/toolchain.h"

namespace ptxlat::counters {

std::vector<std::filesystem::path> cupti_libraries() {
  namespace fs = std::filesystem;
  if (const char* path = std::getenv("PTXLAT_LIBCUPTI"); path && *path) return {path};
  std::vector<fs::path> found, seen;
  for (const auto& toolkit : assemble::toolkit_folders()) {
    for (const char* const folder : {"extras/CUPTI/lib64", "lib64", "lib", "lib/x86_64-linux-gnu",
                                     "lib/aarch64-linux-gnu", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
      for (const auto& file : assemble::entries(toolkit / folder)) {
        if (!file.filename().string().starts_with("libcupti.so.")) continue;
        std::error_code error;
        const auto real = fs::canonical(file, error);
        if (error || std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
        seen.push_back(real);
        found.push_back(file);
      }
    }
  }
  return found;
}

}  // namespace ptxlat::counters
