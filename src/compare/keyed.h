// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

namespace ptxlat::compare {

// Rows of two tables with one key; null on the side that has none.
template <class Row>
struct Both {
  const Row* a = nullptr;
  const Row* b = nullptr;
};

// In the order of the keys. Of rows with equal keys, the first counts.
//   key  key(row)
template <class Row, class Key>
auto join_by_key(const std::vector<Row>& a, const std::vector<Row>& b, Key key) {
  std::map<decltype(key(a.front())), Both<Row>> rows;
  for (const auto& row : a) {
    auto& both = rows[key(row)];
    if (both.a == nullptr) both.a = &row;
  }
  for (const auto& row : b) {
    auto& both = rows[key(row)];
    if (both.b == nullptr) both.b = &row;
  }
  return rows;
}

}  // namespace ptxlat::compare
