// SPDX-License-Identifier: Apache-2.0
#include "base/open_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace ptxlat {

OpenLibrary::OpenLibrary(std::string name, std::filesystem::path path)
    : name_(std::move(name)), path_(std::move(path)), handle_(dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) throw Error(ExitCode::missing_tool, fmt::format("{} cannot be opened: {}", name_, dlerror()));
}

// The header of nvJitLink maps nvJitLinkCreate to __nvJitLinkCreate_13_0 and the like; a library exports the versioned
// name and, not in every release, the plain one.
void* OpenLibrary::find(const std::string& symbol) const {
  if (void* found = dlsym(handle_, symbol.c_str())) return found;
  for (int major = 12; major < 20; ++major)
    for (int minor = 0; minor < 10; ++minor)
      if (void* found = dlsym(handle_, fmt::format("__{}_{}_{}", symbol, major, minor).c_str())) return found;
  throw Error(ExitCode::missing_tool,
              fmt::format("{} is not a {} library: it has no {}", path_.string(), name_, symbol));
}

}  // namespace ptxlat
