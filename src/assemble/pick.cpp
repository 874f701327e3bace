#include <algorithm>
#include <numeric>

#include "assemble/cuda_version.h"
#include "assemble/toolchain.h"
#include "error.h"

namespace ptxlat {
namespace {

// "ptxas", "ptxas-13" and "ptxas-13.0" name ptxas-13.0.88; "ptxas-13.0.8" does not.
bool names(const std::string& wanted, const Toolchain& toolchain) {
  if (wanted.empty() || !toolchain.name.starts_with(wanted)) return false;
  if (toolchain.name.size() == wanted.size()) return true;
  const char next = toolchain.name[wanted.size()];
  return next == '.' || next == '-';
}

std::size_t edit_distance(const std::string& left, const std::string& right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string advice_for(const std::vector<Toolchain>& available, const std::string& wanted) {
  const auto nearest = std::min_element(available.begin(), available.end(), [&](const auto& left, const auto& right) {
    return edit_distance(left.name, wanted) < edit_distance(right.name, wanted);
  });
  std::string advice = "did you mean " + nearest->name + "? Available here:";
  for (const Toolchain& toolchain : available) advice += " " + toolchain.name;
  return advice;
}

}  // namespace

const Toolchain& pick_toolchain(const std::vector<Toolchain>& available, const std::string& wanted) {
  if (available.empty()) {
    throw Error(ExitCode::missing_tool, "no assembler was found on this machine",
                "tools/fetch_cuda.sh brings one into toolkits/, without a CUDA installation");
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

}  // namespace ptxlat
