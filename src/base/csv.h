// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ptxlat {

// One field of RFC 4180, in quotes if it has a comma, a quote or a line end.
void write_csv_field(std::ostream& out, std::string_view field);

// A line of fields.
void write_csv_line(std::ostream& out, const std::vector<std::string>& fields);

// A column that a file may have, and whether it must.
struct KnownColumn {
  std::string name;
  bool is_required = true;
};

// One row of a file that is read.
//   columns  of each field, the number of its column among the known ones
struct CsvRow {
  const std::string& file;
  int line = 0;
  const std::vector<std::string>& fields;
  const std::vector<std::size_t>& columns;
  // Error{storage} with file and line.
  [[noreturn]] void fail(const std::string& damage) const;
};

// For quoting an arbitrary field in an error.
std::string cut_short(const std::string& field);

// Calls on_row for every row below the header. `name` is the file's in errors. Error{storage} with the line if it is
// damaged: also if a column is unknown, appears twice, or is required and missing.
void read_csv(std::istream& in, const std::string& name, const std::vector<KnownColumn>& known,
              const std::function<void(const CsvRow&)>& on_row);

// The fields of every line below the header, which must be exactly these columns.
std::vector<std::vector<std::string>> read_csv_lines(std::istream& in, const std::string& name,
                                                     const std::vector<std::string>& columns);

// The fields of one row of RFC 4180; false at the end. Adds its lines to `line`, and sets `damage` for a quote that is
// never closed or followed by text, and for more fields than any file of ours has (base/limits.h).
bool read_csv_row(std::istream& in, std::vector<std::string>& fields, int& line, std::string& damage);

}  // namespace ptxlat
