#include "report/join.h"

#include <map>
#include <unordered_map>

#include "report/operands.h"

namespace ptxlat::report {

std::vector<JoinedRow> join(const std::vector<PlacedCell>& cells, std::size_t columns, bool levels_apart) {
  std::vector<JoinedRow> of_operands;  // each of one
  std::unordered_map<RowKey, std::size_t, RowKeyHash> index;
  for (const auto& [cell, column] : cells) {
    RowKey key = row_key(cell->record);
    if (!levels_apart) key.level = 0;
    for (const std::string_view operand : operands_of(cell->record.operand)) {
      key.operand = operand;
      const auto [entry, is_new] = index.emplace(key, of_operands.size());
      if (is_new) of_operands.push_back({{operand}, std::vector<const Cell*>(columns, nullptr)});
      of_operands[entry->second].cells[column] = cell;
    }
  }
  std::vector<JoinedRow> rows;
  std::map<std::vector<const Cell*>, std::size_t> known;
  for (JoinedRow& row : of_operands) {
    const auto [entry, is_new] = known.emplace(row.cells, rows.size());
    if (is_new) {
      rows.push_back(std::move(row));
    } else {
      rows[entry->second].operands.push_back(row.operands.front());
    }
  }
  return rows;
}

}  // namespace ptxlat::report
