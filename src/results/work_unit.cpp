// SPDX-License-Identifier: Apache-2.0
#include "results/work_unit.h"

#include <regex>

namespace ptxlat::results {

WorkUnit work_unit_of(const std::string& ptx) {
  constexpr int warp = 32, warpgroup = 128;
  if (ptx.starts_with("wgmma.")) return {"warpgroup instructions", warpgroup};
  static const std::regex collective("\\.sync(\\.|$| )|_sync$");
  if (std::regex_search(ptx, collective)) return {"warp instructions", warp};
  return {};
}

std::optional<double> multiply_adds_of(const std::string& ptx) {
  static const std::regex shape("\\.m([0-9]{1,4})n([0-9]{1,4})k([0-9]{1,4})(\\.|$)");
  std::smatch found;
  if (!ptx.starts_with("mma.") && !ptx.starts_with("wmma.mma.") && !ptx.starts_with("wgmma.")) return std::nullopt;
  if (!std::regex_search(ptx, found, shape)) return std::nullopt;
  return std::stod(found[1]) * std::stod(found[2]) * std::stod(found[3]);
}

Throughput in_unit_of(const std::string& ptx, std::optional<double> results) {
  const auto unit = work_unit_of(ptx);
  if (!results) return {unit.name, {}, {}};
  const double value = *results / unit.threads;
  const auto of_one = multiply_adds_of(ptx);
  return {unit.name, value, of_one ? std::optional(*of_one * value) : std::nullopt};
}

}  // namespace ptxlat::results
