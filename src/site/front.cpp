// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "site/views.h"
#include "tables/overview.h"
#include "tables/rows.h"

namespace ptxlat::site {

namespace {

using results::Json;

// The metrics that some row of the table has.
Json numbers_used(const SiteTable& table) {
  Json tags = Json::array();
  for (const auto& kind : results::metric_kinds()) {
    const bool is_used = std::any_of(table.rows.begin(), table.rows.end(),
                                     [&](const auto& row) { return row.record.number(kind.tag).has_value(); });
    if (is_used) tags.push_back(kind.tag);
  }
  return tags;
}

constexpr std::size_t shown_sass = 60;

// The table's cells of the forms that are asked for first.
tables::Table asked_first(const SiteTable& table) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) rows[table.rows[i].record.ptx].push_back(i);
  tables::Table asked;
  asked.run = table.run;
  for (const auto& spelling : table.spellings) {
    results::Record named;
    named.ptx = spelling.ptx;
    const bool is_asked = tables::commonness_of(named) >= 8;
    const auto found = rows.find(spelling.row);
    if (!is_asked || spelling.row.empty() || found == rows.end()) continue;
    for (const std::size_t i : found->second) {
      const auto& row = table.rows[i];
      if (std::find(row.levels.begin(), row.levels.end(), spelling.level) == row.levels.end()) continue;
      auto& cell = asked.cells.emplace_back(row);
      cell.record.ptx = spelling.ptx;
      cell.record.level = spelling.level;
      cell.row = i;
    }
  }
  return asked;
}

Json overview_json(const SiteTable& table) {
  const tables::Table asked = asked_first(table);
  Json groups = Json::array();
  for (const auto& group : tables::overview_of(asked)) {
    Json rows = Json::array();
    for (const auto& row : group.rows) {
      const auto& highest = row.highest().record;
      Json levels = Json::object();
      for (const auto& [level, cell] : row.levels) {
        const auto number = tables::number_text(tables::headline(asked), *cell);
        levels[std::to_string(level)] = number.empty() ? to_string(cell->record.verdict) : number;
      }
      Json json = {{"ptx", highest.ptx}, {"levels", levels}, {"sass", tables::brief_opcodes(highest.sass, shown_sass)}};
      results::put(json, "operand", row.operand);
      results::put(json, "input", highest.input);
      results::put(json, "issue", highest.number(results::metric::issue));
      results::put(json, "measure", highest.measure ? to_string(*highest.measure) : "");
      rows.push_back(std::move(json));
    }
    groups.push_back({{"name", group.name}, {"rows", rows}});
  }
  return groups;
}

Json table_json(const SiteTable& table) {
  std::set<std::string_view> forms;
  std::set<int> levels;
  for (const auto& spelling : table.spellings) {
    levels.insert(spelling.level);
    if (!spelling.row.empty()) forms.insert(spelling.ptx);
  }
  Json run = results::to_json(table.run);
  for (const char* key : {"station_seconds", "environment"}) run.erase(key);
  Json runs = Json::array();
  for (const auto& one : table.runs)
    runs.push_back(
        {{"started_utc", one.started_utc}, {"command_line", one.command_line}, {"git_commit", one.git_commit}});
  return {{"id", table.id},
          {"title", title_of(table)},
          {"kind", is_static(table) ? "static" : "measured"},
          {"levels", levels},
          {"forms", forms.size()},
          {"rows", table.rows.size()},
          {"has_code", !table.code.empty()},
          {"has_probes", !table.probes.empty()},
          {"numbers", numbers_used(table)},
          {"has_opcodes", !table.opcodes.opcodes.empty()},
          {"has_pairs", !table.pairs.pairs.empty()},
          {"run", run},
          {"runs", runs},
          {"overview", overview_json(table)}};
}

}  // namespace

Json tables_json(const SiteTables& tables) {
  Json list = Json::array();
  for (const auto& table : tables) list.push_back(table_json(*table));
  return list;
}

std::size_t default_table(const SiteTables& tables) {
  const auto rank = [](const SiteTable& table) { return std::pair(!is_static(table), table.rows.size()); };
  std::size_t best = 0;
  for (std::size_t i = 1; i < tables.size(); ++i) {
    if (rank(*tables[i]) > rank(*tables[best])) best = i;
  }
  return best;
}

}  // namespace ptxlat::site
