// SPDX-License-Identifier: Apache-2.0
#include "base/quantile.h"

#include <algorithm>
#include <cmath>

namespace ptxlat {

double quantile_of(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + std::lround(static_cast<double>(values.size() - 1) * share);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median_of(std::vector<double> values) { return quantile_of(std::move(values), 0.5); }

}  // namespace ptxlat
