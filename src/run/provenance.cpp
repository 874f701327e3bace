// SPDX-License-Identifier: Apache-2.0
#include "run/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "latency/plan.h"

namespace ptxlat::run {

std::string folder_name(const std::string& gpu) {
  std::string name;
  for (const char c : lower_case(gpu)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

std::string tool_version() { return PTXLAT_VERSION; }
std::string git_commit() { return PTXLAT_GIT_COMMIT; }

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string line, argument;
  while (std::getline(in, argument, '\0')) {
    line += line.empty() ? std::filesystem::path(argument).filename().string() : ' ' + argument;
  }
  return line;
}

std::map<std::string, std::string> relevant_environment() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    const bool is_relevant = name.starts_with("CUDA_CACHE") || name.starts_with("CUDA_FORCE") ||
                             name.starts_with("CUDA_DISABLE") || name.starts_with("CUDA_MODULE") ||
                             name.starts_with("CUDA_VISIBLE") || name.starts_with("PTXLAT_");
    if (is_relevant && equals != std::string::npos) found[name] = text.substr(equals + 1);
  }
  return found;
}

results::Run begin_run(const assemble::Toolchain& toolchain, const isa::Target& target,
                       const std::optional<gpu::DeviceInfo>& device) {
  results::Run run;
  run.kind = device ? "measured" : "static";
  run.method = latency::method_version;
  run.toolchain = toolchain.name;
  run.target = target.name();
  run.device = device;
  run.table = device ? fmt::format("sm_{}/{}/{}", device->sm, folder_name(device->name), toolchain.name)
                     : fmt::format("{}/static/{}", target.name(), toolchain.name);
  run.tool_version = tool_version();
  run.git_commit = git_commit();
  run.command_line = command_line();
  run.started_utc = utc_now();
  run.environment = relevant_environment();
  return run;
}

}  // namespace ptxlat::run
