// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "assemble/cuda_version.h"
#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/nearest_names.h"

namespace ptxlat::assemble {
namespace {

// "ptxas", "ptxas-13" and "ptxas-13.0" name ptxas-13.0.88; "ptxas-13.0.8" does not.
bool names(const std::string& wanted, const Toolchain& toolchain) {
  if (wanted.empty() || !toolchain.name.starts_with(wanted)) return false;
  if (toolchain.name.size() == wanted.size()) return true;
  const char next = toolchain.name[wanted.size()];
  return next == '.' || next == '-';
}

// Everything that names one of these toolchains: ptxas, ptxas-13, ptxas-13.0, ptxas-13.0.88, …
std::vector<std::string> all_names(const std::vector<Toolchain>& available) {
  std::set<std::string> found;
  for (const Toolchain& toolchain : available) {
    for (std::size_t end = toolchain.name.find('-'); end != std::string::npos; end = toolchain.name.find('.', end + 1))
      found.insert(toolchain.name.substr(0, end));
    found.insert(toolchain.name);
  }
  return {found.begin(), found.end()};
}

// "12.4" of "ptxas-12.4.131", "13" of "nvrtc-13", which tools/toolkits.sh can download; empty for anything else.
std::string cuda_version_in(const std::string& wanted) {
  for (const std::string kind : {"ptxas-", "nvjitlink-", "nvrtc-"}) {
    if (!wanted.starts_with(kind)) continue;
    const std::string version = wanted.substr(kind.size());
    const bool is_version = version.find_first_not_of("0123456789.") == std::string::npos;
    const auto dot = version.find('.');
    if (is_version && dot != std::string::npos) return version.substr(0, version.find('.', dot + 1));
  }
  return {};
}

std::string advice_for(const std::vector<Toolchain>& available, const std::string& wanted) {
  std::string advice;
  for (const std::string& name : nearest_names(wanted, all_names(available), 1))
    advice += "did you mean " + name + "? ";
  if (const std::string version = cuda_version_in(wanted); !version.empty())
    advice += "`" + toolkits_script() + " " + version + "` fetches CUDA " + version + ", if there is one. ";
  advice += "Available here:";
  for (const Toolchain& toolchain : available) {
    if (toolchain.kind != ToolchainKind::nvrtc || wanted.starts_with("nvrtc")) advice += " " + toolchain.name;
  }
  return advice;
}

}  // namespace

const Toolchain& pick_toolchain(const std::vector<Toolchain>& available, const std::string& wanted) {
  if (available.empty()) {
    throw Error(ExitCode::missing_tool, "no assembler was found on this machine",
                "run " + toolkits_script() + ", which downloads one without a CUDA installation");
  }
  const Toolchain* picked = nullptr;
  for (const Toolchain& toolchain : available) {
    if (!names(wanted, toolchain)) continue;
    if (toolchain.name == wanted) return toolchain;
    if (picked == nullptr || compare_versions(toolchain.version, picked->version) > 0) picked = &toolchain;
  }
  if (picked == nullptr) {
    throw Error(ExitCode::unknown_name, "there is no toolchain '" + wanted + "' here", advice_for(available, wanted));
  }
  return *picked;
}

std::vector<Toolchain> pick_toolchains(const std::vector<Toolchain>& available, const std::string& wanted) {
  std::vector<Toolchain> picked;
  for (std::size_t begin = 0; begin <= wanted.size();) {
    const std::size_t end = std::min(wanted.find(',', begin), wanted.size());
    const std::string one = wanted.substr(begin, end - begin);
    const Toolchain& toolchain = pick_toolchain(available, one);
    const auto same = [&](const Toolchain& other) { return other.name == toolchain.name; };
    if (std::none_of(picked.begin(), picked.end(), same)) picked.push_back(toolchain);
    begin = end + 1;
  }
  return picked;
}

}  // namespace ptxlat::assemble
