// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pages/memory_map.h"
#include "results/sass_text.h"
#include "site/views.h"
#include "tables/curves.h"
#include "tables/probe_files.h"

namespace ptxlat::site {

namespace {

using results::Json;

// More windows of one probe say nothing new to a reader; probes.jsonl.zst has them all.
constexpr std::size_t most_windows = 4, most_instructions = 400;

Json fact_json(const results::Record& probe, const results::Fact& fact) {
  Json json = {
      {"probe", probe.ptx}, {"quantity", fact.quantity}, {"condition", fact.condition},        {"value", fact.value},
      {"unit", fact.unit},  {"scope", fact.scope},       {"verdict", to_string(fact.verdict)}, {"how", fact.how}};
  if (fact.low) json["low"] = *fact.low;
  if (fact.high) json["high"] = *fact.high;
  return json;
}

Json marks_json(const std::vector<tables::Mark>& marks, const results::Record& probe) {
  Json list = Json::array();
  for (const auto& mark : marks) {
    const auto fact = std::find_if(probe.facts.begin(), probe.facts.end(),
                                   [&](const results::Fact& one) { return &one == mark.fact; });
    list.push_back(
        {{"fact", fact - probe.facts.begin()}, {"value", mark.value}, {"low", mark.low}, {"high", mark.high}});
  }
  return list;
}

Json axis_json(const results::Axis& axis) {
  Json json = {{"name", axis.name}, {"unit", axis.unit}, {"values", axis.values}};
  if (!axis.names.empty()) json["names"] = axis.names;
  return json;
}

Json series_json(const results::Record& probe, const results::Series& series) {
  Json axes = Json::array(), values = Json::array();
  for (const auto& axis : series.axes) axes.push_back(axis_json(axis));
  for (const auto& value : series.values) values.push_back(results::json_number(value));
  const auto marks = tables::marks_of(probe, series);
  const auto* along = tables::main_axis(series);
  return {{"name", series.name},
          {"unit", series.unit},
          {"axes", axes},
          {"values", values},
          {"along", along == nullptr ? -1 : along - series.axes.data()},
          {"levels", marks_json(marks.levels, probe)},
          {"edges", marks_json(marks.edges, probe)}};
}

Json windows_json(const results::Record& probe) {
  Json windows = Json::array();
  std::vector<std::string> known;
  for (const auto& window : probe.windows) {
    const auto lines = results::sass_lines(window.sass);
    const auto shown = std::min(lines.size(), most_instructions);
    const auto code =
        fmt::format("{}", fmt::join(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown), "\n"));
    if (code.empty() || std::find(known.begin(), known.end(), code) != known.end()) continue;
    known.push_back(code);
    windows.push_back({{"role", window.role},
                       {"verdict", to_string(window.verdict)},
                       {"reason", window.reason},
                       {"left_out", lines.size() - shown},
                       {"code", code}});
    if (windows.size() == most_windows) break;
  }
  return windows;
}

}  // namespace

Json facts_of(const SiteTable& table) {
  Json facts = Json::array(), boxes = Json::array();
  for (const auto& probe : table.probes) {
    for (const auto& fact : probe.facts) facts.push_back(fact_json(probe, fact));
  }
  for (const auto& box : pages::memory_map(table.probes)) {
    Json lines = Json::array();
    for (const auto& line : box.lines)
      lines.push_back({{"label", line.label}, {"value", line.value}, {"over", line.over}, {"quantity", line.quantity}});
    boxes.push_back({{"name", box.name},
                     {"title", box.title},
                     {"latency", box.latency},
                     {"latency_of", box.latency_of},
                     {"lines", lines}});
  }
  return {{"facts", facts}, {"memory", boxes}};
}

Json probes_of(const SiteTable& table) {
  Json probes = Json::array();
  for (const auto& probe : table.probes) {
    Json series = Json::array(), facts = Json::array(), runs = Json::array();
    for (const auto& one : probe.series) series.push_back(series_json(probe, one));
    for (const auto& fact : probe.facts) facts.push_back(fact_json(probe, fact));
    Json json = {{"name", probe.ptx},
                 {"verdict", to_string(probe.verdict)},
                 {"note", probe.note},
                 {"series", series},
                 {"facts", facts},
                 {"window_count", probe.windows.size()},
                 {"windows", windows_json(probe)}};
    for (const auto& run : table.probe_runs) {
      if (run.id != probe.run) continue;
      json["command"] = run.command_line;
      json["date"] = run.started_utc;
      json["commit"] = run.git_commit;
    }
    probes.push_back(std::move(json));
  }
  return {{"probes", probes}};
}

}  // namespace ptxlat::site
