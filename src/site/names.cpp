// SPDX-License-Identifier: Apache-2.0
#include "site/names.h"

#include <algorithm>

namespace ptxlat::site {

Names names_of(const SiteTables& tables) {
  Names names;
  for (const auto& table : tables) {
    for (const auto& spelling : table->spellings) names.all.push_back(spelling.ptx);
    for (const auto& row : table->rows) names.all.push_back(row.record.ptx);
  }
  std::sort(names.all.begin(), names.all.end());
  names.all.erase(std::unique(names.all.begin(), names.all.end()), names.all.end());
  for (std::size_t i = 0; i < names.all.size(); ++i) names.place.emplace(names.all[i], i);
  return names;
}

std::vector<int> differences_of(const std::vector<int>& numbers) {
  std::vector<int> differences;
  differences.reserve(numbers.size());
  int before = 0;
  for (const int number : numbers) {
    differences.push_back(number - before);
    before = number;
  }
  return differences;
}

}  // namespace ptxlat::site
