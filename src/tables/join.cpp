// SPDX-License-Identifier: Apache-2.0
#include "tables/join.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "tables/operands.h"

namespace ptxlat::tables {

namespace {

constexpr auto no_row = static_cast<std::size_t>(-1);

std::vector<std::size_t> numbers_of(const JoinedRow& row) {
  std::vector<std::size_t> numbers;
  for (const Cell* cell : row.cells) numbers.push_back(cell == nullptr ? no_row : cell->row);
  return numbers;
}

const results::Record& any_of(const JoinedRow& row) {
  return (*std::find_if(row.cells.begin(), row.cells.end(), [](const Cell* cell) { return cell; }))->record;
}

const std::string& ptx_of(const JoinedRow& row) { return any_of(row).ptx; }

bool is_full(const JoinedRow& row) { return std::find(row.cells.begin(), row.cells.end(), nullptr) == row.cells.end(); }

// A table of all forms and one of the core share only a row's first spelling.
void drop_leftovers(std::vector<JoinedRow>& rows, std::size_t columns) {
  std::vector<std::unordered_map<std::size_t, std::string>> met(columns);
  for (const JoinedRow& row : rows) {
    for (std::size_t column = 0; is_full(row) && column < columns; ++column)
      met[column].emplace(row.cells[column]->row, ptx_of(row));
  }
  std::erase_if(rows, [&](const JoinedRow& row) {
    if (is_full(row)) return false;
    for (std::size_t column = 0; column < columns; ++column) {
      if (row.cells[column] == nullptr) continue;
      const auto found = met[column].find(row.cells[column]->row);
      if (found == met[column].end() || found->second == ptx_of(row)) return false;
    }
    return true;
  });
}

}  // namespace

std::vector<JoinedRow> join(const std::vector<PlacedCell>& cells, std::size_t columns, bool levels_apart) {
  std::vector<JoinedRow> of_operands;  // each of one
  std::unordered_map<RowKey, std::size_t, RowKeyHash> index;
  std::unordered_map<RowKey, std::vector<const Cell*>, RowKeyHash> listed_only;
  for (const auto& [cell, column] : cells) {
    RowKey key = row_key(cell->record);
    if (!levels_apart) key.level = 0;
    if (is_listed_only(*cell)) {
      auto& listed = listed_only[key];
      listed.resize(columns);
      listed[column] = cell;
      continue;
    }
    for (const std::string_view operand : operands_of(cell->record.operand)) {
      key.operand = operand;
      const auto [entry, is_new] = index.emplace(key, of_operands.size());
      if (is_new) of_operands.push_back({{operand}, std::vector<const Cell*>(columns, nullptr)});
      of_operands[entry->second].cells[column] = cell;
    }
  }
  for (JoinedRow& row : of_operands) {
    const results::Record& any = any_of(row);
    const auto listed = listed_only.find({any.ptx, "", "", levels_apart ? any.level : 0});
    for (std::size_t column = 0; listed != listed_only.end() && column < columns; ++column) {
      if (row.cells[column] == nullptr) row.cells[column] = listed->second[column];
    }
  }
  std::vector<JoinedRow> rows;
  std::map<std::vector<std::size_t>, std::size_t> known;
  for (JoinedRow& row : of_operands) {
    const auto [entry, is_new] = known.emplace(numbers_of(row), rows.size());
    if (is_new) {
      rows.push_back(std::move(row));
    } else if (JoinedRow& first = rows[entry->second]; ptx_of(first) == ptx_of(row)) {
      first.operands.push_back(row.operands.front());
    }
  }
  drop_leftovers(rows, columns);
  return rows;
}

}  // namespace ptxlat::tables
