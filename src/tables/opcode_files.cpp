// SPDX-License-Identifier: Apache-2.0
#include "tables/opcode_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "results/access_pattern.h"
#include "results/curve.h"
#include "results/metric.h"
#include "sass/opcodes.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"
#include "tables/opcode_columns.h"
#include "tables/page.h"
#include "tables/record_lines.h"

namespace ptxlat::tables {

namespace {

using results::Opcode;

bool are_near(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::abs(*a - *b) <= same_throughput * std::max(std::abs(*a), std::abs(*b));
}

// The shares of pipes that take turns differ by chance.
bool have_same_pipes(const std::vector<results::PipeShare>& a, const std::vector<results::PipeShare>& b) {
  const auto is_in = [](const auto& one, const auto& others) {
    return std::any_of(others.begin(), others.end(), [&](const auto& other) { return other.pipe == one.pipe; });
  };
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& one) { return is_in(one, b); });
}

// On the pipes on which both have a consumer.
bool have_near_latencies(const std::vector<results::PipeLatency>& a, const std::vector<results::PipeLatency>& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& one) {
    return std::all_of(b.begin(), b.end(),
                       [&](const auto& other) { return one.pipe != other.pipe || are_near(one.cycles, other.cycles); });
  });
}

bool are_alike(const Opcode& a, const Opcode& b) {
  return a.pipe == b.pipe && a.arrival == b.arrival && a.saturates_at == b.saturates_at && a.unit == b.unit &&
         are_near(a.throughput, b.throughput) && are_near(a.latency, b.latency) &&
         (a.counters.empty() || b.counters.empty() || have_same_pipes(a.counters, b.counters)) &&
         have_near_latencies(a.latencies, b.latencies) && (!a.hazard || !b.hazard || a.hazard == b.hazard);
}

}  // namespace

std::vector<std::vector<std::size_t>> alike_opcodes(const std::vector<Opcode>& opcodes) {
  std::map<std::string_view, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < opcodes.size(); ++i) families[sass::family_of(opcodes[i].name)].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [family, members] : families) {
    std::stable_sort(members.begin(), members.end(),
                     [&](auto x, auto y) { return opcodes[x].name.size() < opcodes[y].name.size(); });
    const auto first = groups.size();
    for (const auto member : members) {
      const auto found =
          std::find_if(groups.begin() + static_cast<std::ptrdiff_t>(first), groups.end(), [&](const auto& group) {
            return std::all_of(group.begin(), group.end(),
                               [&](auto other) { return are_alike(opcodes[other], opcodes[member]); });
          });
      if (found == groups.end()) {
        groups.push_back({member});
      } else {
        found->push_back(member);
      }
    }
  }
  std::sort(groups.begin(), groups.end(), [](const auto& x, const auto& y) { return x.front() < y.front(); });
  return groups;
}

namespace {

template <class Row>
std::vector<Row> rows_from(const std::vector<results::Record>& records, Row (*row)(const results::Record&)) {
  std::vector<Row> rows;
  for (const auto& record : records) rows.push_back(row(record));
  return rows;
}

std::vector<CounterRow> counter_rows(const std::vector<results::Opcode>& opcodes) {
  std::vector<CounterRow> rows;
  for (const auto& opcode : opcodes) {
    for (const auto& [pipe, share] : opcode.counters) rows.push_back({opcode.name, pipe, share});
  }
  return rows;
}

// The further opcodes of a group, cut after the first: opcodes.csv has all of them.
std::string others_of(const std::vector<std::size_t>& group, const std::vector<results::Opcode>& opcodes) {
  if (group.size() == 1) return "";
  const auto& next = opcodes[group[1]].name;
  return group.size() == 2 ? next : fmt::format("{} and {} more", next, group.size() - 2);
}

// Only opcodes have rows here: longer code has its number, and its curve in the records.
std::vector<WarpsRow> curve_rows(const OpcodeFiles& files) {
  std::map<std::string_view, const results::Record*> curves;  // the first of each opcode
  for (const auto& record : files.throughput) {
    if (record.sass.size() == 1 && !results::access_pattern_of(record) && !record.series.empty() &&
        results::is_curve(record.series.front()))
      curves.emplace(record.sass.front(), &record);
  }
  std::vector<WarpsRow> rows;
  for (const auto& opcode : files.opcodes) {
    const auto found = curves.find(opcode.name);
    if (found == curves.end()) continue;
    const auto& series = found->second->series.front();
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const auto throughput = results::in_unit_of(found->second->ptx, series.values[i]);
      rows.push_back({opcode.name, series.axes.front().values[i], throughput.value});
    }
  }
  return rows;
}

std::vector<InFlightRow> in_flight_rows(const std::vector<results::Record>& in_flight) {
  std::vector<InFlightRow> rows;
  for (const auto& record : in_flight) {
    for (const auto& series : record.series) {
      if (series.axes.size() != 2) continue;
      const auto lengths = results::lengths_of(series);
      for (std::size_t i = 0; i < series.values.size(); ++i) {
        const auto place = results::places_of(i, lengths);
        const double chains = series.axes[0].values[place[0]], warps = series.axes[1].values[place[1]];
        constexpr double lanes = 32;
        const auto& results = series.values[i];
        const auto latency = results ? std::optional(lanes * warps * chains / *results) : std::nullopt;
        rows.push_back(
            {record.ptx, chains, warps, results::in_unit_of(record.operand, results).value, latency, record.operand});
      }
    }
  }
  return rows;
}

std::vector<results::Record> records_of(const OpcodeFiles& files) {
  auto records = files.throughput;
  for (const auto* more : {&files.contention, &files.counters, &files.operand_costs, &files.in_flight})
    records.insert(records.end(), more->begin(), more->end());
  return records;
}

// The first of those that are alike, with what any of them has.
results::Opcode joined(const std::vector<std::size_t>& group, const std::vector<results::Opcode>& opcodes) {
  auto row = opcodes[group.front()];
  for (const auto member : group) {
    const auto& other = opcodes[member];
    if (row.counters.empty()) row.counters = other.counters;
    if (row.latencies.empty()) row.latencies = other.latencies;
    if (!row.hazard) row.hazard = other.hazard;
    if (member != group.front()) row.forms += other.forms;
  }
  return row;
}

// Opcodes that are alike share a row.
Grid grid_of_groups(const std::vector<results::Opcode>& opcodes) {
  std::vector<results::Opcode> rows;
  const auto groups = alike_opcodes(opcodes);
  for (const auto& group : groups) rows.push_back(joined(group, opcodes));
  auto grid = grid_of(opcode_columns(), rows);
  grid.columns.insert(grid.columns.begin() + 1, {"and alike"});
  for (std::size_t i = 0; i < groups.size(); ++i)
    grid.rows[i].insert(grid.rows[i].begin() + 1, others_of(groups[i], opcodes));
  return grid;
}

void write_opcodes_page(std::ostream& out, const OpcodeFiles& files) {
  Page page(out, {.format = PageFormat::markdown});
  page.heading(1, {"SASS opcodes"});
  page.paragraph(
      {"Opcodes with the same name up to the first point that differ in nothing measured share a row: "
       "`and alike`. `opcodes.csv` has a row for each."});
  page.paragraph(
      {"`throughput`: what an SM does in a cycle with enough warps, in the `unit`: results of threads, or instructions "
       "that a warp or a warpgroup executes as one. `interval`: cycles between two such instructions in a "
       "sub-partition. `saturates at`: the lowest number of warps per SM that reaches the"
       " throughput. `in flight`: the fewest instructions of an SM in flight that reach it. `pipe`: the group of "
       "opcodes that contend with each other, named after its members. `counters`:"
       " the pipes on which the hardware counters see the opcode, with shares if it alternates. `latency`: the "
       "smallest latency, in cycles, among the latency table's rows that consist of this opcode alone. `hazard`: the "
       "lowest distance to the nearest consumer, in cycles, at which all values are right. `operand "
       "costs`: cycles that the interval grows by if the last source is a constant, an immediate or a uniform "
       "register, "
       "or if the instruction is predicated. `forms`: how "
       "many spellings of PTX become this opcode and nothing else."});
  page.table(grid_of_groups(files.opcodes));
}

}  // namespace

void write_opcode_files(const Folder& folder, const OpcodeFiles& files) {
  const auto records = records_of(files);
  std::ostringstream page;
  write_opcodes_page(page, files);
  replace_files(
      folder, {{"series/throughput.csv.gz", gzip(csv_of(warps_columns(), curve_rows(files)))},
               {"series/in_flight.csv.gz", gzip(csv_of(in_flight_columns(), in_flight_rows(files.in_flight)))},
               {opcodes_name, csv_of(opcode_columns(), files.opcodes)},
               {"opcodes.md", page.str()},
               {contention_name, csv_of(contention_columns(), rows_from(files.contention, contention_row))},
               {"operand_costs.csv", csv_of(operand_cost_columns(), rows_from(files.operand_costs, operand_cost_row))},
               {"counters.csv", csv_of(counter_columns(), counter_rows(files.opcodes))},
               {throughput_name, gzip(csv_of(form_throughput_columns(), rows_from(files.throughput, form_throughput)))},
               {throughput_forms_name, gzip(csv_of(spelling_columns(), files.spellings))},
               lines_file(opcode_records_name, records),
               {opcode_runs_name, provenance_of(records, files.runs)}});
  remove_file(folder, packed_opcodes_name);  // an earlier one's, if it was compressed
}

void write_opcode_text(std::ostream& out, const std::vector<results::Opcode>& opcodes) {
  Page page(out, {});
  page.table(grid_of_groups(opcodes));
}

}  // namespace ptxlat::tables
