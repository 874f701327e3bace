// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <sstream>

#include "base/error.h"
#include "fuzz.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"

namespace ptxlat::fuzz {

// A folder with a latency.csv alone is a table, and is printed; the second part is a forms.csv.
void csv(std::string_view input) {
  const auto parts = parts_of(input, 2);
  // The lines of any other csv, damaged or not.
  std::istringstream lines(parts[1]);
  try {
    const std::string header(parts[1].substr(0, parts[1].find('\n')));
    read_csv_lines(lines, "any.csv", words_in(header, ","));
  } catch (const Error&) {
  }
  const auto folder = scratch_file("csv/latency.csv", parts[0]).parent_path();
  const auto table = tables::read_table(folder);
  std::ostringstream out;
  tables::write_text(out, table);
  tables::write_markdown(out, table);
  tables::write_csv(out, table);
  std::istringstream forms(parts[1]);
  tables::read_rows(forms, "forms.csv", tables::spelling_columns());
}

}  // namespace ptxlat::fuzz
