// SPDX-License-Identifier: Apache-2.0
#include "results/opcode.h"

#include <fmt/format.h>

#include <cmath>

namespace ptxlat::results {

std::string text_of(const std::vector<PipeShare>& shares) {
  std::string text;
  for (const auto& [pipe, share] : shares) {
    constexpr double digits = 100;
    const double rounded = std::round(share * digits) / digits;
    text += fmt::format("{}{}", text.empty() ? "" : " ", pipe);
    if (rounded != 1) text += fmt::format(":{}", rounded);
  }
  return text;
}

}  // namespace ptxlat::results
