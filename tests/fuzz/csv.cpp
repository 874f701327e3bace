// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "fuzz.h"
#include "report/table.h"

namespace ptxlat::fuzz {

// A folder with a latency.csv alone is a table, and is printed; the second part is a forms.csv.
void csv(std::string_view input) {
  const auto parts = parts_of(input, 2);
  const auto folder = scratch_file("csv/latency.csv", parts[0]).parent_path();
  const auto table = report::read_table(folder);
  std::ostringstream out;
  report::write_text(out, table);
  report::write_markdown(out, table);
  report::write_csv(out, table);
  std::istringstream forms(parts[1]);
  report::read_forms(forms, "forms.csv");
}

}  // namespace ptxlat::fuzz
