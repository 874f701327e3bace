// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::series {

// An axis over words, whose values are 0, 1, 2 …
inline results::Axis named(const std::string& name, const std::vector<std::string>& names) {
  results::Axis axis{name, "", {}, names};
  for (std::size_t i = 0; i < names.size(); ++i) axis.values.push_back(static_cast<double>(i));
  return axis;
}

}  // namespace ptxlat::series
