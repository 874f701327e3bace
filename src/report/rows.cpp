#include "report/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "report/number.h"
#include "report/window.h"

namespace ptxlat {

std::vector<Row> rows_of(const Table& table) {
  std::vector<Row> rows;
  std::unordered_map<std::string, std::size_t> index;
  for (const CellRecord& cell : table.cells) {
    const auto [entry, is_new] =
        index.emplace(fmt::format("{}\x1f{}\x1f{}", cell.ptx, cell.operand, cell.input), rows.size());
    if (is_new) rows.emplace_back();
    rows[entry->second].levels[cell.level] = &cell;
  }
  return rows;
}

std::vector<int> levels_of(const Table& table) {
  std::set<int> levels;
  for (const CellRecord& cell : table.cells) levels.insert(cell.level);
  return {levels.begin(), levels.end()};
}

std::string number_text(const Table& table, const CellRecord& cell) {
  const std::optional<double> value = headline(table, cell);
  const bool proven_without_latency = cell.issue && cell.verdict == Verdict::proven;
  if (!value) return proven_without_latency ? fmt::format("({})", decimal(cell.issue)) : std::string();
  std::string text = decimal(value);
  const std::vector<const WindowRecord*> windows = backing_windows(cell);
  const bool is_lower_bound =
      std::any_of(windows.begin(), windows.end(), [](const WindowRecord* w) { return w->static_is_lower_bound; });
  if (is_static(table) && is_lower_bound) text.insert(0, "≥");
  return text;
}

bool has_issue(const Table& table) {
  return std::any_of(table.cells.begin(), table.cells.end(), [](const CellRecord& cell) { return cell.issue; });
}

std::string verdict_summary(const Table& table) {
  std::map<Verdict, int> counts;
  for (const CellRecord& cell : table.cells) ++counts[cell.verdict];
  std::string summary = fmt::format("{} cells", table.cells.size());
  const char* separator = ": ";
  for (const auto& [verdict, count] : counts) {
    summary += fmt::format("{}{} {}", separator, count, to_string(verdict));
    separator = ", ";
  }
  return summary;
}

std::string number_legend(const Table& table) {
  if (is_static(table)) {
    return "Numbers are cycles of the assembler's schedule; nothing was measured. ≥: a lower bound, since the code "
           "waits "
           "on a scoreboard or branches.";
  }
  std::string legend = "Numbers are measured cycles, the proven dependent latency.";
  if (has_issue(table)) {
    legend +=
        " Issue: the cycles that one more independent copy takes, in parentheses where nothing can depend on the "
        "instruction.";
  }
  return legend;
}

}  // namespace ptxlat
