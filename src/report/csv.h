#pragma once

#include <ostream>
#include <string_view>

namespace ptxlat::report {

// One field of RFC 4180, in quotes where it has a comma, a quote or a line end.
void write_csv_field(std::ostream& out, std::string_view field);

}  // namespace ptxlat::report
