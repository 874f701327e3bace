// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptxlat::memory {

using Rows = std::vector<std::vector<float>>;

// The directions in which rows differ most, as unit vectors, as long as the variance along them is above `least`; at
// least one, at most `most`. Columns must be centred.
Rows directions_of(const Rows& rows, double least, std::size_t most);
// The coordinates of rows along directions.
Rows projected(const Rows& rows, const Rows& directions);
float dot(const std::vector<float>& x, const std::vector<float>& y);

// Divides rows into parts, where the gap between the distances inside and between parts is widest (average linkage).
struct Parts {
  std::vector<int> of_row;  // -1: with fewer than `least` others
  int count = 0;
  double gap = 0;  // the smallest distance between parts divided by the largest inside one
};
Parts widest_gap(const Rows& rows, std::size_t least);

}  // namespace ptxlat::memory
