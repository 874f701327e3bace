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

// A line of the list: operands and input of a form, and the row of each level. Rows of several operands that a list
// shows alike are one line.
struct ListRow {
  std::string operand;  // "a b"
  std::string input;
  std::array<int, level_count> rows{no_row, no_row, no_row, no_row, no_row};  // of SiteTable::rows
};

// A spelling of a table. Spellings with the same rows at every level are in one group and have the same lines.
struct SpellingLines {
  int name = 0;        // place in Names
  int group = no_row;  // of TableLines::groups; no_row if no level has a row
  std::string reason;  // why there is no row, at the highest level: a verdict
  std::string note;
};

struct TableLines {
  std::vector<SpellingLines> spellings;  // in the order of their names
  std::vector<std::vector<ListRow>> groups;
  std::vector<int> levels;  // of the table, ascending
};

// Error{storage} if forms and rows make more lines than any table of ours.
TableLines lines_of(const SiteTable& table, const Names& names);

}  // namespace ptxlat::site
