// SPDX-License-Identifier: Apache-2.0
#include "tables/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tables/folder.h"
#include "tables/join.h"
#include "tables/number.h"
#include "tables/operands.h"

namespace ptxlat::tables {

namespace {

constexpr std::size_t text_sass_width = 48, markdown_sass_width = 80;

// "O0,O1 fused" for the levels without a proven number.
std::string remark(const Row& row) {
  std::map<sass::Verdict, std::vector<std::string>> levels;
  for (const auto& [level, cell] : row.levels) {
    if (cell->record.verdict != sass::Verdict::proven)
      levels[cell->record.verdict].push_back(fmt::format("O{}", level));
  }
  if (levels.size() == 1 && levels.begin()->second.size() == row.levels.size()) return to_string(levels.begin()->first);
  std::string text;
  for (const auto& [verdict, names] : levels) {
    std::string list;
    for (const auto& name : names) list += (list.empty() ? "" : ",") + name;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", list, to_string(verdict));
  }
  return text;
}

// The measure if it is not a dependent latency, as most are.
std::string unusual_measure(const results::Record& record) {
  return record.measure && *record.measure != results::Measure::dependent ? to_string(*record.measure) : "";
}

}  // namespace

std::vector<Row> rows_of(const std::vector<Cell>& cells) {
  std::vector<const Cell*> all;
  for (const Cell& cell : cells) all.push_back(&cell);
  return rows_of(all);
}

std::vector<Row> rows_of(const std::vector<const Cell*>& cells) {
  std::vector<PlacedCell> placed;
  for (const Cell* cell : cells) placed.push_back({cell, static_cast<std::size_t>(cell->record.level)});
  std::vector<Row> rows;
  for (const JoinedRow& joined : join(placed, highest_level + 1, false)) {
    Row& row = rows.emplace_back();
    row.operand = operand_list(joined.operands);
    for (const Cell* cell : joined.cells) {
      if (cell != nullptr) row.levels[cell->record.level] = cell;
    }
  }
  return rows;
}

std::vector<int> levels_of(const Table& table) {
  std::set<int> levels;
  for (const Cell& cell : table.cells) levels.insert(cell.record.level);
  return {levels.begin(), levels.end()};
}

RowLayout layout_of(const Table& table, PageFormat format) {
  RowLayout layout{format, headline(table), levels_of(table), {}};
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.use.is_shown && has_metric(table, kind.tag)) layout.shown.push_back(&kind);
  }
  return layout;
}

std::vector<Heading> columns_of(const RowLayout& layout) {
  const bool is_text = layout.format == PageFormat::text;
  const std::string where = layout.levels.empty() ? "" : fmt::format(" at O{}", layout.levels.back());
  std::vector<Heading> columns = {{"ptx"}, {"operand"}, {"input"}};
  for (const int level : layout.levels) columns.push_back({fmt::format("O{}", level), true});
  for (const results::MetricKind* kind : layout.shown) columns.push_back({std::string(kind->tag) + where, true});
  columns.push_back({"SASS" + where});
  if (is_text) columns.push_back({"verdict"});
  columns.push_back({"measure" + where});
  // All chapters of a page have the same columns, needed or not.
  for (Heading& column : columns) column.is_kept = !is_text;
  return columns;
}

Spans fields_of(const RowLayout& layout, const Row& row) {
  const bool is_text = layout.format == PageFormat::text;
  const results::Record& record = row.highest().record;
  const bool has_highest = record.level == layout.levels.back();
  Spans fields = {code(record.ptx), row.operand, record.input};
  for (const int level : layout.levels) {
    const auto found = row.levels.find(level);
    std::string number = found == row.levels.end() ? "" : number_text(layout.headline, *found->second);
    if (number.empty() && is_text) number = "-";
    if (number.empty() && found != row.levels.end()) number = to_string(found->second->record.verdict);
    fields.emplace_back(number);
  }
  for (const results::MetricKind* kind : layout.shown) {
    fields.emplace_back(has_highest ? decimal(record.number(kind->tag)) : "");
  }
  const std::size_t sass_width = is_text ? text_sass_width : markdown_sass_width;
  fields.emplace_back(has_highest ? brief_opcodes(record.sass, sass_width) : "");
  if (is_text) fields.emplace_back(remark(row));
  fields.emplace_back(has_highest ? unusual_measure(record) : "");
  return fields;
}

std::string mark_of_static(const results::Record& record, bool is_lower_bound) {
  if (record.has_flag(results::flag::branches)) return "~";
  return is_lower_bound ? "≥" : "";
}

std::string number_text(std::string_view headline, const Cell& cell) {
  if (const auto value = cell.record.number(headline)) {
    return (headline == results::metric::static_cycles ? mark_of_static(cell.record, cell.static_is_lower_bound) : "") +
           decimal(value);
  }
  const results::Metric* instead = number_without_latency(cell.record);
  return instead == nullptr ? "" : fmt::format("({})", decimal(instead->value));
}

const results::Metric* number_without_latency(const results::Record& record) {
  return record.verdict == sass::Verdict::proven ? record.find(results::metric::issue) : nullptr;
}

std::string brief_opcodes(const std::vector<std::string>& opcodes, std::size_t limit) {
  std::string brief;
  for (std::size_t i = 0; i < opcodes.size();) {
    std::size_t end = i;
    while (end < opcodes.size() && opcodes[end] == opcodes[i]) ++end;
    const std::string part = end - i > 1 ? fmt::format("{}×{}", opcodes[i], end - i) : opcodes[i];
    if (!brief.empty() && brief.size() + 1 + part.size() > limit) {
      return fmt::format("{};…+{}", brief, opcodes.size() - i);
    }
    if (!brief.empty()) brief += ';';
    brief += part;
    i = end;
  }
  return brief;
}

std::map<sass::Verdict, std::size_t> verdict_counts(const Table& table) {
  std::map<sass::Verdict, std::size_t> counts;
  for (const Cell& cell : table.cells) ++counts[cell.record.verdict];
  return counts;
}

std::string verdict_summary(const std::map<sass::Verdict, std::size_t>& counts) {
  std::size_t cells = 0;
  std::string verdicts;
  for (const auto& [verdict, count] : counts) {
    cells += count;
    verdicts += fmt::format("{}{} {}", verdicts.empty() ? ": " : ", ", count, to_string(verdict));
  }
  return fmt::format("{} cells{}", cells, verdicts);
}

std::string number_legend(const RowLayout& layout) {
  if (layout.headline == results::metric::static_cycles) {
    return "Numbers are cycles of the assembler's schedule; nothing was measured. ≥: a lower bound, since the code "
           "waits. ~: along the straight line of code that branches.";
  }
  std::string legend = "Numbers are measured cycles: the proven dependent latency, or what `measure` says.";
  for (const results::MetricKind* kind : layout.shown) {
    std::string name(kind->tag);
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    legend += fmt::format(
        " {}: the {}{}.", name, kind->description,
        kind->tag == results::metric::issue ? ", in parentheses where nothing can depend on the instruction" : "");
  }
  return legend;
}

}  // namespace ptxlat::tables
