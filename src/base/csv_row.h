// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace ptxlat {

// The fields of one row of RFC 4180; false at the end. Adds its lines to `line`, and sets `damage` for a quote that is
// never closed or followed by text, and for more fields than any file of ours has (base/limits.h).
bool read_csv_row(std::istream& in, std::vector<std::string>& fields, int& line, std::string& damage);

}  // namespace ptxlat
