// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <sstream>

#include "fuzz.h"
#include "report/compare_write.h"
#include "report/table_lines.h"

namespace ptxlat::fuzz {

namespace {

report::Table table_of(const std::string& lines) {
  report::Table table;
  table.run.kind = "measured";
  const auto text = std::make_shared<const std::string>(lines);
  table.lines = report::lines_of_owner(text, *text);
  table.cells = report::rows_in(*table.lines, "fuzz");
  return table;
}

}  // namespace

// The rows of one or two tables: printed, read in full, and compared.
void jsonl(std::string_view input) {
  const auto parts = parts_of(input, 2);
  const auto a = table_of(parts[0]), b = table_of(parts[1]);
  std::ostringstream out;
  report::write_text(out, a);
  report::write_markdown(out, a);
  const report::Group group = report::compare_all({{&a, {}, "a", "a"}, {&b, {}, "b", "b"}});
  report::write_page(out, group, {});
  report::write_csv(out, {group});
  report::write_json(out, {group});
  std::vector<const report::Cell*> cells;
  for (const auto& cell : a.cells) cells.push_back(&cell);
  try {
    report::whole_records(a, cells);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): its callers name the table
  }
}

}  // namespace ptxlat::fuzz
