// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ptxlat::tables {

// One field of RFC 4180, in quotes if it has a comma, a quote or a line end.
void write_csv_field(std::ostream& out, std::string_view field);

// A line of fields.
void write_csv_line(std::ostream& out, const std::vector<std::string>& fields);

// The fields of every line below the header, which must be `columns`. `name` is the file's in errors. Error{storage}
// with the line if it is damaged.
std::vector<std::vector<std::string>> read_csv_lines(std::istream& in, const std::string& name,
                                                     const std::string& columns);
// The same of a file, or of its compressed one (with .gz behind its name); none if there is neither.
std::vector<std::vector<std::string>> read_csv_file(const std::filesystem::path& file, const std::string& columns);
// The number in a field of the file; none if the field is empty. Error{storage} if it is anything else.
std::optional<double> number_in_field(const std::string& field, const std::filesystem::path& file);

}  // namespace ptxlat::tables
