// SPDX-License-Identifier: Apache-2.0
#include "pages/glance.h"

#include <algorithm>
#include <vector>

#include "tables/overview.h"
#include "tables/page.h"
#include "tables/rows.h"

namespace ptxlat::pages {

namespace {

// Takes out columns of text that are the same in all rows. Returns what they say: "input random, verdict proven".
std::string take_equal_columns(tables::Grid& grid) {
  std::string said;
  if (grid.rows.size() < 2) return said;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    const auto& heading = grid.columns[column];
    const auto text = grid.rows.front()[column].text;
    const bool is_equal = std::all_of(grid.rows.begin(), grid.rows.end(),
                                      [&](const tables::Spans& row) { return row[column].text == text; });
    if (heading.is_number || heading.is_kept || !is_equal || text.empty()) continue;
    said += (said.empty() ? "" : ", ") + heading.head + ' ' + text;
    for (auto& row : grid.rows) row[column] = "";
  }
  return said;
}

}  // namespace

void write_glance(std::ostream& out, const tables::Table& table, const std::set<std::string>& forms,
                  std::size_t most_rows) {
  std::vector<const tables::Cell*> cells;
  for (const auto& cell : table.cells) {
    if (forms.contains(cell.record.ptx)) cells.push_back(&cell);
  }
  const auto layout = tables::layout_of(table, tables::PageFormat::text);
  tables::Grid grid{tables::columns_of(layout), {}};
  const auto rows = tables::rows_of(cells);
  if (const auto groups = tables::overview_of(table); rows.size() > most_rows && !groups.empty()) {
    grid.columns.insert(grid.columns.begin(), tables::Heading{""});
    for (const auto& group : groups) {
      for (const auto& row : group.rows) {
        auto fields = tables::fields_of(layout, row);
        fields.insert(fields.begin(), &row == &group.rows.front() ? group.name : "");
        grid.rows.push_back(std::move(fields));
      }
    }
  } else {
    for (const auto& row : rows) grid.rows.push_back(tables::fields_of(layout, row));
  }
  const auto equal = take_equal_columns(grid);
  tables::Page page(out, {});
  page.table(grid);
  page.paragraph({(equal.empty() ? "" : "In all of these rows: " + equal + ". ") +
                  tables::verdict_summary(tables::verdict_counts(table)) + ". " + tables::number_legend(layout)});
}

void keep_rows_of(tables::Table& table, const std::set<std::string>& forms) {
  std::set<std::size_t> rows;
  for (const auto& cell : table.cells) {
    if (forms.contains(cell.record.ptx)) rows.insert(cell.row);
  }
  std::erase_if(table.cells, [&](const tables::Cell& cell) { return !rows.contains(cell.row); });
}

}  // namespace ptxlat::pages
