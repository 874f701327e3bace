// SPDX-License-Identifier: Apache-2.0
#include "site/site.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "base/csv.h"
#include "base/parallel.h"
#include "compare/compare.h"
#include "site/shard.h"
#include "site/views.h"
#include "tables/csv.h"
#include "tables/pair_files.h"
#include "tables/published.h"

namespace ptxlat::site {

namespace {

using results::Json;

// The rows of a csv by their first field; the other fields are named like their columns.
Json by_first_field(const SiteFiles& files, const char* name, const std::vector<std::string>& columns) {
  const auto file = files.find(name);
  if (file == files.end()) return Json::object();
  std::istringstream in(file->second);
  std::map<std::string, Json> of_first;
  for (const auto& fields : read_csv_lines(in, name, columns)) {
    Json row = Json::object();
    for (std::size_t i = 1; i < columns.size(); ++i) row[columns[i]] = fields[i];
    of_first[fields[0]].push_back(std::move(row));
  }
  return of_first;
}

// Figures of papers, by form and by quantity.
Json published_json(const SiteFiles& published) {
  return {{"forms", by_first_field(published, published_forms_name, {"ptx", "input", "gpu", "O0", "O3", "source"})},
          {"facts",
           by_first_field(published, published_facts_name, {"quantity", "published", "gpu", "source", "agreement"})},
          {"throughput", by_first_field(published, tables::published_throughput_name,
                                        tables::names_of(tables::published_columns()))}};
}

// {"columns": ["opcode", …], "same": {"pipe": "exactly", …}, "rows": [["ALD", …], …]}, as in the csv.
template <class Row>
Json rows_json(const tables::Columns<Row>& columns, const std::vector<Row>& rows) {
  Json fields = Json::array();
  for (const auto& row : rows) fields.push_back(tables::fields_of(columns, row));
  Json same = Json::object();
  for (const auto& column : columns) {
    if (column.same != tables::Same::not_compared) same[column.name] = to_string(column.same);
  }
  return {{"columns", tables::names_of(columns)}, {"same", same}, {"rows", fields}};
}

Json opcodes_json(const SiteTable& table) {
  return {{"opcodes", rows_json(tables::opcode_columns(), table.opcodes.opcodes)},
          {"contention", rows_json(tables::contention_columns(), table.opcodes.contention)}};
}

Json pairs_json(const SiteTable& table) {
  Json runs = Json::array();
  for (const auto& run : table.pairs.runs)
    runs.push_back({{"date", run.started_utc}, {"command", run.command_line}, {"is_finished", run.is_finished()}});
  return {{"pairs", rows_json(tables::pair_columns(), table.pairs.pairs)}, {"runs", runs}};
}

// What the page's rule of comparison needs (site/script/cause.js).
Json comparison_json() {
  Json causes = Json::array(), compared = Json::array();
  for (const auto cause : compare::all_causes()) causes.push_back({compare::words(cause), compare::explanation(cause)});
  for (const auto& kind : results::metric_kinds()) {
    if (kind.use.is_compared) compared.push_back(kind.tag);
  }
  return {{"causes", causes}, {"compared", compared}, {"tolerance_of_medians", compare::tolerance_of_medians}};
}

void add(SiteFiles& files, const std::string& name, const Json& value) {
  files[fmt::format("data/{}.js", name)] = shard(name, value);
}

void add_lists(SiteFiles& files, const SiteTables& tables, const Names& names, SharedNumbers& shared) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const SiteTable& table = *tables[i];
    add(files, fmt::format("list-{}", i),
        list_of(table, list_rows_of(table, names), names, pipes_for(table, tables), shared));
    if (!table.opcodes.opcodes.empty()) add(files, fmt::format("opcodes-{}", i), opcodes_json(table));
    if (!table.pairs.pairs.empty()) add(files, fmt::format("pairs-{}", i), pairs_json(table));
    if (table.probes.empty()) continue;
    add(files, fmt::format("facts-{}", i), facts_of(table));
    add(files, fmt::format("probes-{}", i), probes_of(table));
  }
}

void add_forms(SiteFiles& files, const SiteTables& tables, const Names& names, const FormIndex& index,
               const std::vector<FormRange>& ranges, const SharedNumbers& shared) {
  std::vector<std::string> shards(ranges.size());
  in_parallel(ranges.size(), [&](std::size_t i) {
    shards[i] = shard(fmt::format("forms-{}", i), forms_in(ranges[i], tables, names, index, shared));
  });
  for (std::size_t i = 0; i < shards.size(); ++i) files[fmt::format("data/forms-{}.js", i)] = std::move(shards[i]);
}

}  // namespace

SiteFiles data_files(const SiteTables& tables, const SiteFiles& published, const SiteOrigin& origin, bool has_plots) {
  const Names names = names_of(tables);
  const FormIndex index = index_of(tables, names);
  const auto ranges = ranges_of(tables, index);
  Json first = Json::array();
  for (const FormRange& range : ranges) first.push_back(std::string(names.all[range.begin]));
  SiteFiles files;
  add(files, "site",
      {{"version", origin.tool_version},
       {"commit", origin.git_commit},
       {"has_plots", has_plots},
       {"comparison", comparison_json()},
       {"tables", tables_json(tables)},
       {"default_table", default_table(tables)},
       {"first_forms", first}});
  add(files, "names", {{"names", fmt::format("{}", fmt::join(names.all, "\n"))}});
  add(files, "published", published_json(published));
  SharedNumbers shared;
  add_lists(files, tables, names, shared);
  add_forms(files, tables, names, index, ranges, shared);
  return files;
}

}  // namespace ptxlat::site
