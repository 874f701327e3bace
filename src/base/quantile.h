// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace ptxlat {

// `share` of the values are below it. 0 if there are no values.
double quantile_of(std::vector<double> values, double share);
double median_of(std::vector<double> values);
// The mean without an eighth of the values at each end. Where values fall into two groups, a median is in one of them,
// and in the other one next time. 0 if there are no values.
double middle_mean_of(std::vector<double> values);

}  // namespace ptxlat
