// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "cli/show.h"
#include "pages/evidence.h"
#include "pages/memory_map.h"
#include "pages/plot.h"
#include "results/json.h"
#include "tables/folder.h"
#include "tables/opcode_columns.h"
#include "tables/opcode_files.h"
#include "tables/probe_files.h"

namespace ptxlat::cli {

namespace {

// With --plot, draws the series of these probes as SVG files, whose names go to standard error.
void plot(const ShowOptions& options, const std::vector<results::Record>& probes,
          const std::vector<results::Run>& runs) {
  if (options.plot.empty()) return;
  for (const auto& file : pages::write_plots(options.plot, probes, runs)) say(stderr, "{}\n", file.string());
}

void print_facts_json(const std::vector<pages::FoundFact>& found, const std::string& folder) {
  auto document = json_head(folder);
  std::vector<tables::TableFact> facts;
  for (const auto& one : found) facts.push_back({one.probe->ptx, *one.fact, {}});
  document["facts"] = json_rows(tables::fact_columns(), facts);
  print_json(document);
}

}  // namespace

bool show_facts(const ShowOptions& options, const std::string& folder, const tables::Table& table) {
  const auto& records = table.probes;
  const auto named = pages::find_facts(records, options.name, "");
  if (named.empty()) return false;
  const auto condition = fmt::format("{}", fmt::join(options.condition, " "));
  const auto found = pages::find_facts(records, options.name, condition);
  if (found.empty()) {
    std::set<std::string> conditions;
    for (const auto& one : named) conditions.insert(one.fact->condition.empty() ? "none" : one.fact->condition);
    throw Error(ExitCode::unknown_name, fmt::format("{} has no {} with {}", folder, options.name, condition),
                fmt::format("it has it with {}", fmt::join(conditions, "; ")));
  }
  if (options.format == "json") {
    print_facts_json(found, folder);
    return true;
  }
  const char* separator = "";
  for (const auto& record : records) {
    std::vector<pages::FoundFact> of_probe;
    std::copy_if(found.begin(), found.end(), std::back_inserter(of_probe),
                 [&](const pages::FoundFact& fact) { return fact.probe == &record; });
    if (of_probe.empty()) continue;
    std::cout << separator;
    separator = "\n";
    pages::write_evidence(std::cout, folder, of_probe, table.probe_runs);
    std::cout.flush();
    for (const auto* window : pages::windows_behind(of_probe)) say("{}", pages::window_text(*window));
    plot(options, {record}, table.probe_runs);
  }
  return true;
}

bool show_probe(const ShowOptions& options, const std::string& folder, const tables::Table& table) {
  auto records = table.probes;
  std::erase_if(records, [&](const results::Record& record) { return record.ptx != options.name; });
  if (records.empty()) return false;
  if (options.format == "json") {
    auto document = json_head(folder);
    for (const auto& record : records) document["probes"].push_back(results::to_json(record));
    print_json(document);
    return true;
  }
  tables::write_probe_text(std::cout, records);
  std::cout.flush();
  for (const auto& record : records) {
    for (const auto& window : record.windows) say("{}", pages::window_text(window));
  }
  plot(options, records, table.probe_runs);
  return true;
}

bool show_memory(const ShowOptions& options, const std::string& folder, const tables::Table& table) {
  if (options.name != memory_name) return false;
  const auto map = pages::memory_map(table.probes);
  if (options.format == "json") {
    auto document = json_head(folder);
    document["levels"] = results::Json::array();
    for (const auto& box : map) {
      results::Json level = {{"name", box.name}, {"title", box.title}};
      results::put(level, "latency", box.latency);
      results::put(level, "latency_of", box.latency_of);
      for (const auto& line : box.lines)
        level["lines"].push_back(
            {{"label", line.label}, {"value", line.value}, {"over", line.over}, {"quantity", line.quantity}});
      document["levels"].push_back(std::move(level));
    }
    print_json(document);
    return !map.empty();
  }
  print_text([&](std::ostream& out) { pages::write_memory_text(out, map); });
  if (options.plot.empty()) return !map.empty();
  for (const auto& file : pages::write_memory_plot(options.plot, table.probes, table.probe_runs))
    say(stderr, "{}\n", file.string());
  return !map.empty();
}

bool show_opcode(const ShowOptions& options, const std::string& folder) {
  const auto& columns = tables::opcode_columns();
  const auto opcodes = tables::read_table(folder, {tables::Part::opcodes}).opcodes.opcodes;
  // SASS is in capitals, so "ffma" is FFMA, too.
  const auto found = std::find_if(opcodes.begin(), opcodes.end(), [&](const results::Opcode& opcode) {
    return lower_case(opcode.name) == lower_case(options.name);
  });
  const bool is_in_capitals = options.name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  if (opcodes.empty() && is_in_capitals)
    throw Error(ExitCode::unknown_name,
                fmt::format("{} has no {}, so nothing is known of {}", folder, tables::opcodes_name, options.name),
                "`ptxlat opcodes` measures SASS opcodes; or add --table nvidia-h200, which has them");
  if (found == opcodes.end()) return false;
  if (options.format == "json") {
    auto document = json_head(folder);
    document["opcode"] = json_of(columns, *found);
    print_json(document);
    return true;
  }
  for (const auto& column : columns) {
    const auto text = column.text(*found);
    if (!text.empty()) say("{:<14} {}{}{}\n", column.name, text, column.unit.empty() ? "" : " ", column.unit);
  }
  say("\nThe PTX that becomes it: ptxlat list --sass {0}\nIts nearest consumers: ptxlat show {0} --pairs\n"
      "What the lines mean: docs/columns.md\n",
      found->name);
  return true;
}

}  // namespace ptxlat::cli
