// SPDX-License-Identifier: Apache-2.0
#include "counters/find.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
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

namespace {

constexpr std::string_view prefix = "sm__inst_executed_pipe_";

}  // namespace

std::vector<std::string> pipes_among(const std::vector<std::string>& counters) {
  std::vector<std::string> names;
  for (const auto& counter : counters) {
    if (counter.starts_with(prefix)) names.push_back(counter.substr(prefix.size()));
  }
  const auto is_part = [&](const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const auto& whole) { return name.starts_with(whole + '_'); });
  };
  std::vector<std::string> whole;
  std::copy_if(names.begin(), names.end(), std::back_inserter(whole), [&](const auto& name) { return !is_part(name); });
  const auto is_sum = [&](const std::string& name) {
    return std::count_if(whole.begin(), whole.end(),
                         [&](const auto& part) { return part != name && part.starts_with(name); }) >= 2;
  };
  std::vector<std::string> pipes;
  std::copy_if(whole.begin(), whole.end(), std::back_inserter(pipes), [&](const auto& name) { return !is_sum(name); });
  std::sort(pipes.begin(), pipes.end());
  return pipes;
}

std::string counter_of_pipe(const std::string& pipe) { return std::string(prefix) + pipe; }

}  // namespace ptxlat::counters
