#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace ptxlat {

// A window as far as comparing needs it. Its machine code is the JSON text of the table's file, parsed only where two
// windows differ (report/code_change.h): most of a table is code, and most of it is equal.
struct WindowOutline {
  std::string_view role;
  Verdict verdict = Verdict::proven;
  bool static_is_lower_bound = false;
  std::string_view code;  // empty where no window was found
};

struct CellOutline {
  CellRecord columns;  // without windows, consumer and recipe
  std::vector<WindowOutline> windows;
};

// A table read for comparing: in a tenth of the time and room of a Table, without samples, recipes and reasons.
struct Outline {
  Provenance provenance;
  std::vector<CellOutline> cells;
  std::shared_ptr<const std::string> lines;  // the windows' code lies in here
};

// Same folders and same errors as read_table; Error{storage} too if the table has a cell twice.
Outline read_outline(const std::filesystem::path& folder);
Outline outline_of(const Table& table);

// What tells the cells of a table from each other: views into a record, since a table may have tens of thousands.
struct RowKey {
  std::string_view ptx, operand, input;
  int level = 0;

  bool operator==(const RowKey&) const = default;
};
RowKey row_key(const CellRecord& cell);
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const;
};

bool is_static(const Outline& table);
bool has_issue(const Outline& table);

// Null if the cell has none.
const WindowOutline* window_of_role(const CellOutline& cell, std::string_view role);

}  // namespace ptxlat
