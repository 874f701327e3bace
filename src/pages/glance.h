// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>
#include <set>
#include <string>

#include "tables/table.h"

namespace ptxlat::pages {

// What a screen has of a table: the rows of these forms, or if there are more than `most_rows`, the most wanted
// instructions (tables/overview.h). What is equal in all rows is said once and has no column.
void write_glance(std::ostream& out, const tables::Table& table, const std::set<std::string>& forms,
                  std::size_t most_rows);

// The cells of rows that one of these forms has, for a csv of what was requested.
void keep_rows_of(tables::Table& table, const std::set<std::string>& forms);

}  // namespace ptxlat::pages
