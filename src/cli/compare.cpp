// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <unordered_set>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "cli/selection.h"
#include "cli/table_names.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "compare/compare_write.h"
#include "compare/groups.h"
#include "latency/plan.h"
#include "run/provenance.h"
#include "tables/find_tables.h"
#include "tables/folder.h"
#include "tables/rows.h"

namespace ptxlat::cli {

namespace {

struct CompareOptions {
  std::vector<std::string> names;
  std::string by;
  std::vector<int> levels;
  std::string format = "text";
  std::optional<std::size_t> most_rows;
  bool has_steps = false;      // each with the one before it
  std::string fail_on_change;  // empty: off, "any", or cycles
};

// with_own: followed by the tables of the other GPUs that measured them.
std::vector<NamedTable> with_names(const std::vector<std::string>& names, Take of_a_name, bool with_own) {
  std::vector<NamedTable> tables;
  std::vector<std::filesystem::path> unreadable;
  for (const auto& name : names) {
    for (const auto& named : tables_named(name, of_a_name)) {
      tables.push_back(named);
      if (!with_own) continue;
      for (const auto& own : tables::own_tables_of(named.folder, unreadable))
        tables.push_back({own.string(), named.level});
    }
  }
  warn_of_unreadable(unreadable);
  return tables;
}

using Tables = std::map<std::string, tables::Table>;

// For tables with tables of other GPUs below them, keeps only the cells that those also have: GPUs of one kind share
// the rest.
void keep_own_cells(const std::vector<NamedTable>& named, Tables& tables) {
  for (const auto& table : named) {
    std::unordered_set<tables::RowKey, tables::RowKeyHash> own;
    std::vector<std::filesystem::path> unreadable;  // the user has read of them
    for (const auto& folder : tables::own_tables_of(table.folder, unreadable)) {
      for (const auto& cell : tables.at(folder.string()).cells) own.insert(tables::row_key(cell.record));
    }
    if (own.empty()) continue;
    std::erase_if(tables.at(table.folder).cells,
                  [&](const tables::Cell& cell) { return !own.contains(tables::row_key(cell.record)); });
  }
}

Error no_rows_at(const std::string& levels, const std::string& folder, const std::vector<int>& there) {
  return Error(ExitCode::unknown_name, fmt::format("{} has no rows at -O {}", folder, levels),
               there.empty() ? "it has no rows at all" : fmt::format("it has levels {}", fmt::join(there, ", ")));
}

// Each table once, however often it is named, on all cores: only unpacking and scanning take time.
Tables read_all(const std::vector<NamedTable>& named, const std::vector<int>& levels) {
  Tables tables;
  for (const auto& table : named) tables.emplace(table.folder, tables::Table{});
  std::vector<std::pair<const std::string*, tables::Table*>> work;
  for (auto& [folder, table] : tables) work.emplace_back(&folder, &table);
  in_parallel(work.size(), [&](std::size_t i) {
    using tables::Part;
    *work[i].second = tables::read_table(*work[i].first, {Part::cells, Part::facts, Part::opcodes, Part::throughputs});
  });
  if (levels.empty()) return tables;
  for (auto& [folder, table] : tables) {
    const auto all = tables::levels_of(table);
    std::erase_if(table.cells, [&](const tables::Cell& cell) {
      return std::find(levels.begin(), levels.end(), cell.record.level) == levels.end();
    });
    // Nothing would be compared, and --fail-on-change would succeed.
    if (table.cells.empty()) throw no_rows_at(fmt::format("{}", fmt::join(levels, ", ")), folder, all);
  }
  return tables;
}

// One table against itself: its lowest level against each of the others.
std::vector<compare::Side> sides_of_levels(const std::string& folder, const tables::Table& table) {
  std::vector<compare::Side> sides;
  for (const int level : tables::levels_of(table)) sides.push_back({&table, level, {}, folder});
  return sides;
}

compare::By by_from(const std::string& name) {
  return name == "toolchain" ? compare::By::toolchain
         : name == "gpu"     ? compare::By::gpu
         : name == "device"  ? compare::By::device
         : name == "date"    ? compare::By::date
                             : compare::By::level;
}

// The sides of each group, at least two.
std::vector<std::vector<compare::Side>> groups_of(const CompareOptions& options, const std::vector<NamedTable>& named,
                                                  const Tables& tables) {
  std::vector<std::vector<compare::Side>> groups;
  const auto side_of = [&](const NamedTable& table) {
    const auto there = tables::levels_of(tables.at(table.folder));
    if (table.level && std::find(there.begin(), there.end(), *table.level) == there.end()) {
      throw no_rows_at(std::to_string(*table.level), table.folder, there);
    }
    return compare::Side{&tables.at(table.folder), table.level, {}, table.folder};
  };
  const auto add_levels_of = [&](const NamedTable& table) {
    groups.push_back(table.level ? std::vector{side_of(table)}
                                 : sides_of_levels(table.folder, tables.at(table.folder)));
  };
  if (options.by == "level" || (options.by.empty() && named.size() == 1)) {
    for (const auto& table : named) add_levels_of(table);
  } else if (options.by.empty()) {
    auto& all = groups.emplace_back();
    for (const auto& table : named) all.push_back(side_of(table));
  } else {
    std::vector<results::Run> runs;
    for (const auto& table : named) runs.push_back(tables.at(table.folder).run);
    for (const auto& members : compare::group_by(by_from(options.by), runs)) {
      auto& group = groups.emplace_back();
      for (const auto member : members) group.push_back(side_of(named[member]));
    }
  }
  std::vector<std::string> alone;
  for (const auto& group : groups) {
    if (group.size() == 1) alone.push_back(group.front().folder);
  }
  constexpr std::size_t most_named = 3;
  if (alone.size() > most_named) remark("{} of {} tables have none to be compared with\n", alone.size(), named.size());
  if (alone.size() <= most_named) {
    for (const auto& folder : alone) remark("nothing to compare {} with\n", folder);
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

void write_groups(const CompareOptions& options, const std::vector<compare::Group>& groups) {
  if (options.format == "csv") return print_text([&](std::ostream& out) { compare::write_csv(out, groups); });
  if (options.format == "facts") return print_text([&](std::ostream& out) { compare::write_facts_csv(out, groups); });
  if (options.format == "opcodes")
    return print_text([&](std::ostream& out) { compare::write_opcodes_csv(out, groups); });
  if (options.format == "json")
    return print_text(
        [&](std::ostream& out) { compare::write_json(out, groups, run::tool_version(), latency::method_version); });
  const auto usual_rows = is_brief() ? std::size_t{20} : std::numeric_limits<std::size_t>::max();
  const bool is_markdown = options.format == "markdown";
  const tables::PageStyle style{is_markdown ? tables::PageFormat::markdown : tables::PageFormat::text,
                                screen().in_colour, options.most_rows.value_or(usual_rows), is_brief() && !is_markdown};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i != 0) std::cout << '\n';
    compare::write_page(std::cout, groups[i], style);
  }
}

std::optional<double> threshold_from(const std::string& text) {
  if (text == "any") return std::nullopt;
  char* end = nullptr;
  const double cycles = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(cycles >= 0)) {
    throw CLI::ValidationError("--fail-on-change", fmt::format("not a number of cycles: {}", text));
  }
  return cycles;
}

void run_compare(const CompareOptions& options) {
  std::optional<double> threshold;
  if (!options.fail_on_change.empty()) threshold = threshold_from(options.fail_on_change);
  const bool by_device = options.by == "device";
  const bool takes_all = !options.by.empty() && options.by != "level";
  const auto named = with_names(options.names, takes_all ? Take::all : Take::best, by_device);
  auto tables = read_all(named, options.levels);
  if (by_device) keep_own_cells(named, tables);
  auto sides = groups_of(options, named, tables);
  if (sides.empty()) {
    throw Error(ExitCode::unknown_name, "there is nothing to compare",
                "name two tables, two levels of one (TABLE@O0 TABLE@O3), or one table that has several levels");
  }
  std::vector<compare::Group> groups;
  bool changed = false;
  for (auto& group : sides) {
    compare::label(group, by_device ? compare::By::device : compare::By::date);
    groups.push_back(options.has_steps ? compare::compare_steps(group) : compare::compare_all(group));
    for (const auto& comparison : groups.back().comparisons)
      changed = changed || compare::has_changed(comparison, threshold);
  }
  write_groups(options, groups);
  if (!options.fail_on_change.empty() && changed) throw CLI::RuntimeError(static_cast<int>(ExitCode::changed));
}

}  // namespace

void add_compare(CLI::App& program) {
  auto* command = program.add_subcommand("compare",
                                         "Show what differs between tables, or between the levels of one, by how much "
                                         "and why; and which facts and SASS opcodes differ.");
  auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("tables", options->names,
                   "Tables: folders, folders above them, globs, or names such as nvidia-h200 or "
                   "nvidia-h200@ptxas-12.4, each with an optional level (TABLE@O0). Every one is compared with the "
                   "first; a single table is compared level by level. With --by, a name stands for all tables that it "
                   "fits.")
      ->required()
      ->type_name("TABLE[@LEVEL]");
  command
      ->add_option(
          "--by", options->by,
          "Compare only tables that differ in nothing else, sorted by it: toolchain, gpu, device or date. Level "
          "compares the levels of each table; device compares the GPUs of one kind that measured a table together, for "
          "the rows that belong to one GPU. Default: all tables in the order given.")
      ->check(CLI::IsMember({"toolchain", "gpu", "device", "date", "level"}));
  add_levels(*command, options->levels, "all");
  command->add_flag("--steps", options->has_steps,
                    "Compare each table with the one before it. Default: each one with the first.");
  add_format(*command, options->format, {"text", "markdown", "csv", "json", "facts", "opcodes"},
             "text, markdown, csv, json, facts (a csv of the facts) or opcodes (a csv of SASS opcodes: pipe, "
             "throughput, latency, hazard)");
  command
      ->add_option("--rows", options->most_rows,
                   "List at most this many rows, the most interesting ones, in text and Markdown. Default: all; on a "
                   "terminal, 20.")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool is_number = !text.empty() && text.size() <= 9 && std::all_of(text.begin(), text.end(), is_digit);
            return is_number ? std::string() : fmt::format("{} is not a number of rows", text);
          },
          ""))
      ->type_name("N");
  command
      ->add_flag("--fail-on-change{any}", options->fail_on_change,
                 "Exit with code 8 if anything differs; with =CYCLES, only if a number in a row that both tables have "
                 "appears, disappears or changes by at least this many cycles, or a fact in cycles does. Default: off.")
      ->type_name("[=CYCLES]");
  command->callback([options] { run_compare(*options); });
}

}  // namespace ptxlat::cli
