// SPDX-License-Identifier: Apache-2.0
#include "tables/column.h"

namespace ptxlat::tables {

void read_field(sass::Verdict& value, const Field& field) {
  const auto verdict = sass::verdict_from(field.text);
  if (!verdict) field.fail("unknown verdict: " + field.text);
  value = *verdict;
}

std::string heading_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace ptxlat::tables
