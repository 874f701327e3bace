// SPDX-License-Identifier: Apache-2.0
#include "base/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ptxlat {

double quantile_of(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + std::lround(static_cast<double>(values.size() - 1) * share);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median_of(std::vector<double> values) { return quantile_of(std::move(values), 0.5); }

double middle_mean_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto eighth = static_cast<std::ptrdiff_t>((values.size() + 1) / 8);
  const auto begin = values.begin() + eighth, end = values.end() - eighth;
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

}  // namespace ptxlat
