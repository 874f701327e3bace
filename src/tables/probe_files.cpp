// SPDX-License-Identifier: Apache-2.0
#include "tables/probe_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "tables/compression.h"
#include "tables/csv.h"
#include "tables/curves.h"
#include "tables/folder.h"
#include "tables/number.h"
#include "tables/page.h"
#include "tables/record_lines.h"

namespace ptxlat::tables {

namespace {

constexpr std::string_view log_extension = ".jsonl.zst";

// Calls visit(coordinates, value) for each point, the last axis fastest.
using Visit = std::function<void(const std::vector<std::string>&, const std::optional<double>&)>;
void for_each_point(const results::Series& series, const Visit& visit) {
  const auto lengths = results::lengths_of(series);
  std::vector<std::string> coordinates(series.axes.size());
  for (std::size_t point = 0; point < series.values.size(); ++point) {
    const auto places = results::places_of(point, lengths);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& axis = series.axes[i];
      coordinates[i] = axis.names.empty() ? decimal(axis.values[places[i]]) : axis.names[places[i]];
    }
    visit(coordinates, series.values[point]);
  }
}

std::vector<std::string> axis_names(const results::Series& series) {
  std::vector<std::string> names;
  for (const results::Axis& axis : series.axes) names.push_back(axis.name);
  return names;
}

// Series of one probe may have different axes. Then each axis of any of them is a column, empty for a series without
// it.
std::string series_csv(const results::Record& record) {
  std::vector<std::string> axes;
  for (const results::Series& series : record.series) {
    for (const auto& name : axis_names(series)) {
      if (std::find(axes.begin(), axes.end(), name) == axes.end()) axes.push_back(name);
    }
  }
  const bool is_one = record.series.size() == 1;
  std::ostringstream out;
  std::vector<std::string> heads = axes;
  if (!is_one) heads.insert(heads.begin(), "series");
  heads.emplace_back("value");
  write_csv_line(out, heads);
  for (const results::Series& series : record.series) {
    const auto own = axis_names(series);
    for_each_point(series, [&](const auto& coordinates, const auto& value) {
      std::vector<std::string> fields;
      if (!is_one) fields.push_back(series.name);
      for (const auto& axis : axes) {
        const auto found = std::find(own.begin(), own.end(), axis);
        fields.push_back(found == own.end() ? "" : coordinates[static_cast<std::size_t>(found - own.begin())]);
      }
      fields.push_back(decimal(value));
      write_csv_line(out, fields);
    });
  }
  return out.str();
}

// Without the cards.
std::vector<TableFact> facts_in(const std::vector<results::Record>& records) {
  std::vector<TableFact> facts;
  for (const results::Record& record : records) {
    for (const results::Fact& fact : record.facts) facts.push_back({record.ptx, fact, ""});
  }
  return facts;
}

void write_facts(Page& page, const results::Record& record) {
  if (!record.facts.empty()) page.table(grid_of(fact_columns(), facts_in({record})));
}

void write_series(Page& page, const results::Series& series) {
  page.paragraph({{series.name, Colour::bold}});
  Grid grid;
  for (const results::Axis& axis : series.axes) grid.columns.push_back({with_unit(axis.name, axis.unit), true});
  grid.columns.push_back({with_unit("value", series.unit), true});
  for_each_point(series, [&](const auto& coordinates, const auto& value) {
    Spans row(coordinates.begin(), coordinates.end());
    row.emplace_back(value ? decimal(value) : "-");
    grid.rows.push_back(std::move(row));
  });
  page.table(grid);
}

Column<TableFact> verdict_of_fact() {
  return {"verdict", "",
          "`inferred`, from a model that also predicts what it was not made from; `measured`, without a model; "
          "`undetermined`; `contradicted`.",
          [](const TableFact& row) -> std::string { return to_string(row.fact.verdict); },
          [](TableFact& row, const Field& field) {
            const auto verdict = results::fact_verdict_from(field.text);
            if (!verdict) field.fail(field.text + " is not a verdict");
            row.fact.verdict = *verdict;
          }};
}

}  // namespace

std::string free_name(const std::string& wanted, std::string_view extension, const std::vector<NamedContent>& others,
                      std::string_view folder) {
  const auto name = fmt::format("{}{}", folder, safe_name(wanted));
  const auto is_taken = [&](const std::string& file) {
    return std::any_of(others.begin(), others.end(), [&](const NamedContent& other) { return other.first == file; });
  };
  auto file = fmt::format("{}{}", name, extension);
  for (int number = 2; is_taken(file); ++number) file = fmt::format("{}-{}{}", name, number, extension);
  return file;
}

std::string safe_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::string_view("/\\ \t\n\"'*?<>|:;&$`").find(c) != std::string_view::npos; }, '_');
  return name;
}

void write_probe_log(const Folder& folder, const std::string& name, const std::string& log) {
  replace_files(folder, {{fmt::format("logs/{}{}", safe_name(name), log_extension), zstd(log)}});
}

std::filesystem::path find_probe_log(const std::filesystem::path& folder, const std::string& probe,
                                     const std::string& condition) {
  const auto pairs = pairs_of(condition);
  // A name is that of the probe, followed by the coordinates of a point, and every '_' may replace a space.
  const auto is_of_fact = [&](std::string name) {
    if (!name.starts_with(safe_name(probe))) return false;
    name.erase(0, safe_name(probe).size());
    for (const std::string& pair : pairs) {
      const std::string part = "_" + safe_name(pair);
      const auto at = name.find(part);
      if (at != std::string::npos && (at + part.size() == name.size() || name[at + part.size()] == '_'))
        name.erase(at, part.size());
    }
    return name.empty();
  };
  std::vector<std::filesystem::path> found;
  const auto logs = folder / "logs";
  if (!std::filesystem::exists(logs)) return {};
  for (const auto& entry : entries_of(logs)) {
    const std::string name = entry.filename().string();
    if (!name.ends_with(log_extension)) continue;
    // A fact without a condition holds at all points: any of them has seen it.
    const bool is_of_any =
        condition.empty() && name.starts_with(safe_name(probe) + "_") && name.find('=') != std::string::npos;
    if (is_of_any || is_of_fact(name.substr(0, name.size() - log_extension.size()))) found.push_back(entry);
  }
  return found.empty() ? std::filesystem::path() : *std::min_element(found.begin(), found.end());
}

std::string read_probe_log(const std::filesystem::path& file) {
  const std::string compressed = read_file(file);
  try {
    return unzstd(compressed);
  } catch (const std::runtime_error& error) {
    throw Error(ExitCode::storage, fmt::format("{}: {}", file.string(), error.what()), "Make it again with --log.");
  }
}

const Columns<TableFact>& fact_columns() {
  using results::Fact;
  static const auto columns = [] {
    constexpr auto fact = &TableFact::fact;
    Columns<TableFact> made{
        column<&TableFact::probe>("probe", "", "The probe that it comes from.").as(Shown::no).required(),
        column<fact, &Fact::quantity>("quantity", "", "Its name: `l1.bytes`.").required(),
        column<fact, &Fact::condition>("condition", "", "When it holds: `carveout=102400`; empty if always."),
        column<fact, &Fact::value>("value", "", "A number or a word.").as(Shown::number).required(),
        column<fact, &Fact::low>("low", "", "The lower end of the range in which the number is."),
        column<fact, &Fact::high>("high", "", "The upper end."),
        column<fact, &Fact::unit>("unit", "", "The number's unit."),
        column<fact, &Fact::scope>("scope", "", "`kind` if every card of this kind has it, `card` if only this one."),
        verdict_of_fact().required(),
        column<fact, &Fact::how>("how", "", "How it was found.")};
    return made;
  }();
  return columns;
}

void write_facts_csv(std::ostream& out, const std::vector<results::Record>& records) {
  write_rows(out, fact_columns(), facts_in(records));
}

void write_probe_files(const Folder& folder, const std::vector<results::Record>& records,
                       const std::vector<results::Run>& runs) {
  std::vector<NamedContent> files;
  for (const results::Record& record : records) {
    if (!record.series.empty())
      files.emplace_back(free_name(record.ptx, ".csv.gz", files, "series/"), gzip(series_csv(record)));
  }
  files.emplace_back(facts_name, csv_of(fact_columns(), facts_in(records)));
  files.push_back(lines_file(probe_records_name, records));
  files.emplace_back(probe_runs_name, provenance_of(records, runs));
  replace_files(folder, files);
}

void rewrite_facts(const Folder& folder, const std::vector<results::Record>& records) {
  replace_files(folder,
                {{facts_name, csv_of(fact_columns(), facts_in(records))}, lines_file(probe_records_name, records)});
}

void write_probe_text(std::ostream& out, const std::vector<results::Record>& records) {
  Page page(out, {});
  for (const results::Record& record : records) {
    page.paragraph({{record.ptx, Colour::bold}, fmt::format(": {}", to_string(record.verdict))});
    if (!record.note.empty()) page.paragraph({record.note});
    write_facts(page, record);
    for (const results::Series& series : record.series) write_series(page, series);
  }
}

}  // namespace ptxlat::tables
