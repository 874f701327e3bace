// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
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
};

// Calls on_row for every row below the header. `name` is the file's in errors. Error{storage} with the line if it is
// damaged: also if a column is unknown, appears twice, or is required and missing.
void read_csv(std::istream& in, const std::string& name, const std::vector<KnownColumn>& known,
              const std::function<void(const CsvRow&)>& on_row);

// The text of a file, or of its compressed one (with .gz behind its name); empty optional if there is neither.
//   found  its name
struct CsvText {
  std::string found, text;
};
std::optional<CsvText> read_csv_text(const std::filesystem::path& file);

// The fields of every line below the header, which must be exactly these columns.
std::vector<std::vector<std::string>> read_csv_lines(std::istream& in, const std::string& name,
                                                     const std::vector<std::string>& columns);

// A field that is read: empty, or what the name says. Error{storage} with file and line otherwise.
struct Field {
  const CsvRow& row;
  const std::string& text;

  [[noreturn]] void fail(const std::string& what) const;  // "not a number: many"
};
std::optional<double> number_in(const Field& field);
std::size_t count_in(const Field& field);        // 0 if it is empty
int level_in(const Field& field);                // "O3"
std::vector<int> levels_in(const Field& field);  // "O1 O3", ascending
std::vector<std::string> words_in(const std::string& text, std::string_view separators);

}  // namespace ptxlat::tables
