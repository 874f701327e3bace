// SPDX-License-Identifier: Apache-2.0
#include "cli/run_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "base/parallel.h"
#include "cli/dry_run.h"
#include "cli/json.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "pages/glance.h"
#include "results/stored_records.h"
#include "tables/latency_columns.h"
#include "tables/table.h"

namespace ptxlat::cli {

std::string summary(const run::MadeTable& made, const tables::TableOutline& table) {
  std::size_t cells = 0;
  std::map<std::string, std::size_t> by_name;
  for (const auto& [verdict, count] : table.verdicts) {
    cells += count;
    by_name[to_string(verdict)] = count;
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : by_name) parts.push_back(fmt::format("{} {}", count, verdict));
  return fmt::format("{} cells made in {:.1f} s ({:.0f} a second); the table has {}: {}{}", made.made,
                     made.wall_seconds, static_cast<double>(made.made) / made.wall_seconds, cells,
                     fmt::join(parts, ", "),
                     table.alike == 0 ? "" : fmt::format("; {} have the code of a higher level", table.alike));
}

void print_repetition(const run::Repetition& repetition) {
  const auto& [repeated, differing] = repetition;
  say(stderr, "repeated in a second process: {} of {} cells agree\n", repeated - differing.size(), repeated);
  for (const auto& record : differing)
    say(stderr, "  differs: {} {} {} O{}: {}\n", record.ptx, record.operand, record.input, record.level, record.note);
}

std::optional<pages::LiveTable> live_table(const run::TableJob& job, const RunOptions& options) {
  if (options.format != "text" || is_brief()) return std::nullopt;
  pages::LiveTable::PlannedCells planned;
  std::vector<std::string> names;
  std::set<int> levels;
  for (const auto& cell : job.plan) {
    ++planned[cell.variant.form->chapter];
    names.push_back(cell.variant.form->ptx);
    levels.insert(cell.level);
  }
  const auto headline = job.run.device ? results::metric::cycles : results::metric::static_cycles;
  return pages::LiveTable(std::cout, headline, {levels.begin(), levels.end()}, std::move(planned), names);
}

void print_known(pages::LiveTable& live, const run::TableJob& job, const results::Store& store) {
  constexpr std::size_t at_a_time = 256;  // all of them may not fit into memory
  std::set<std::string> planned;
  for (const auto& cell : job.plan) planned.insert(key_of(cell).text());
  const results::StoredRecords stored(store.file(), job.run.table, results::RecordKind::latency);
  for (std::size_t begin = 0; begin < stored.size(); begin += at_a_time) {
    std::vector<results::Record> records(std::min(at_a_time, stored.size() - begin));
    in_parallel(records.size(), [&](std::size_t i) { records[i] = stored.read(begin + i); });
    std::erase_if(records, [&](const results::Record& record) {
      return !is_final(record) || !planned.contains(key_of(record).text());
    });
    live.add(records);
  }
}

void print_table(tables::Table table, const std::vector<results::CellKey>& planned, const RunOptions& options) {
  std::set<std::string> forms;
  for (const auto& cell : planned) forms.insert(cell.ptx);
  if (options.format == "text" && is_brief())
    return print_text([&](std::ostream& out) { pages::write_glance(out, table, forms, screen().rows); });
  if (options.format != "csv" && options.format != "json") return;
  pages::keep_rows_of(table, forms);
  if (options.format == "csv") return print_text([&](std::ostream& out) { tables::write_csv(out, table); });
  auto document = json_head(table.run.table);
  document["folder"] = (std::filesystem::path(options.tables.folder) / table.run.table).string();
  document["kind"] = table.run.kind;
  document["toolchain"] = table.run.toolchain;
  document["target"] = table.run.target;
  if (table.run.device) document["gpu"] = table.run.device->name;
  document["warnings"] = table.run.warnings;
  document["rows"] = results::Json::array();
  const auto columns = tables::columns_for(table.cells);
  for (const auto& cell : table.cells) {
    if (cell.leads) document["rows"].push_back(json_of(columns, cell));
  }
  print_json(document);
}

namespace {

// Processor seconds that a cell takes from text to record, on cores of 2024: 9,291 cells of sm_90 took 127 s on two.
constexpr double seconds_for_each_cell = 0.027;

}  // namespace

void print_plan(const run::TableJob& job, const RunOptions& options) {
  std::vector<results::CellKey> cells;
  std::set<std::string> forms;
  for (const auto& cell : job.plan) {
    if (!isa::has_target(cell.variant.form->requirement, job.target)) continue;  // they take no time
    cells.push_back(key_of(cell));
    forms.insert(cell.variant.form->ptx);
  }
  print_dry_run({.table = job.run.table,
                 .folder = options.tables.folder,
                 .forms = forms.size(),
                 .unsupported = job.plan.size() - cells.size(),
                 .assemblers = job.assemblers.size(),
                 .seconds_of_each = seconds_for_each_cell},
                cells, options.store, options.format);
}

}  // namespace ptxlat::cli
