// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ptxlat::report {

// One field of RFC 4180, in quotes if it has a comma, a quote or a line end.
void write_csv_field(std::ostream& out, std::string_view field);

// A line of fields.
void write_csv_line(std::ostream& out, const std::vector<std::string>& fields);

}  // namespace ptxlat::report
