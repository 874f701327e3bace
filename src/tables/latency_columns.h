// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/ranges.h>

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "tables/column.h"
#include "tables/table.h"

namespace ptxlat::tables {

// latency.csv: texts, then metrics with the headline's measure and consumer after it, then texts again.
const Columns<Cell>& latency_columns();
// Those that are written for these cells: only static tables have estimates.
Columns<Cell> columns_for(const std::vector<Cell>& cells);

// forms.csv and throughput_forms.csv.
const Columns<Spelling>& spelling_columns();

// A column "O1 O3".
template <auto levels>
auto levels_column(std::string name, std::string description) {
  using Item = decltype(row_of_member(levels));
  return Column<Item>{
      std::move(name), "", std::move(description),
      [](const Item& row) { return (row.*levels).empty() ? "" : fmt::format("O{}", fmt::join(row.*levels, " O")); },
      [](Item& row, const Field& field) { row.*levels = levels_in(field); }};
}

// A column "O3".
template <auto level>
auto level_column(std::string name, std::string description) {
  using Item = decltype(row_of_member(level));
  return Column<Item>{std::move(name), "", std::move(description),
                      [](const Item& row) { return "O" + std::to_string(row.*level); },
                      [](Item& row, const Field& field) { row.*level = level_in(field); }};
}

}  // namespace ptxlat::tables
