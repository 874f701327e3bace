// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"

namespace ptxlat::tables {

// The text of a file, or of its compressed one (with .gz behind its name); empty optional if there is neither.
//   found  its name
struct CsvText {
  std::string found, text;
};
std::optional<CsvText> read_csv_text(const std::filesystem::path& file);

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

}  // namespace ptxlat::tables
