// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <sstream>
#include <tuple>

#include "compare/compare_write.h"
#include "fuzz.h"
#include "tables/table_lines.h"

namespace ptxlat::fuzz {

namespace {

tables::Table table_of(const std::string& lines) {
  tables::Table table;
  table.run.kind = "measured";
  const auto text = std::make_shared<const std::string>(lines);
  table.lines = tables::lines_of_owner(text, *text);
  std::tie(table.cells, table.code) = tables::rows_in(*table.lines, "fuzz");
  return table;
}

}  // namespace

// The rows of one or two tables: printed, read in full, and compared.
void jsonl(std::string_view input) {
  const auto parts = parts_of(input, 2);
  const auto a = table_of(parts[0]), b = table_of(parts[1]);
  std::ostringstream out;
  tables::write_text(out, a);
  tables::write_markdown(out, a);
  const compare::Group group = compare::compare_all({{&a, {}, "a", "a"}, {&b, {}, "b", "b"}});
  compare::write_page(out, group, {});
  compare::write_csv(out, {group});
  compare::write_json(out, {group});
  std::vector<const tables::Cell*> cells;
  for (const auto& cell : a.cells) cells.push_back(&cell);
  try {
    tables::whole_records(a, cells);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): its callers name the table
  }
}

}  // namespace ptxlat::fuzz
