// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "site/shard.h"
#include "site/tables.h"

namespace ptxlat::site {

inline constexpr std::size_t level_count = 5;  // O0 to O4
inline constexpr int no_row = -1;

// A row of the list: operands and input of a form, and the row of each level. Rows of several operands that a list
// shows alike are one row.
struct ListRow {
  std::string operand;  // "a b"
  std::string input;
  std::array<int, level_count> rows{no_row, no_row, no_row, no_row, no_row};  // of SiteTable::rows
};

// A spelling of a table. Spellings with the same rows at every level are in one group and have the same rows.
struct ListedSpelling {
  int name = 0;        // place in Names
  int group = no_row;  // of ListRows::groups; no_row if no level has a row
  std::string reason;  // why there is no row, at the highest level: a verdict
  std::string note;
};

struct ListRows {
  std::vector<ListedSpelling> spellings;  // in the order of their names
  std::vector<std::vector<ListRow>> groups;
  std::vector<int> levels;  // of the table, ascending
};

// Error{storage} if forms and rows make more rows than the list of any table of ours.
ListRows list_rows_of(const SiteTable& table, const Names& names);

}  // namespace ptxlat::site
