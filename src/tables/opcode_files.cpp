// SPDX-License-Identifier: Apache-2.0
#include "tables/opcode_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "base/file.h"
#include "results/curve.h"
#include "results/work_unit.h"
#include "tables/alike_opcodes.h"
#include "tables/csv.h"
#include "tables/gzip.h"
#include "tables/number.h"
#include "tables/page.h"
#include "tables/record_lines.h"
#include "tables/table.h"
#include "tables/table_files.h"

namespace ptxlat::tables {

namespace {

constexpr const char* opcode_records_name = "opcodes";

namespace metric = results::metric;

// Launches of one experiment differ by thousandths: three digits after the point, or four that are not 0, say all there
// is.
std::string rounded(std::optional<double> value) {
  if (!value || *value == 0) return decimal(value);
  const double below_one = std::max(0.0, -std::floor(std::log10(std::abs(*value))));
  const double digits = 1000 * std::pow(10, below_one);
  return decimal(std::round(*value * digits) / digits);
}

// Of results per thread, in the unit of the form; the multiply-adds of a matrix instruction beside it.
struct Throughput {
  std::string unit;
  std::optional<double> value, multiply_adds;
};
Throughput throughput_of(const std::string& form, std::optional<double> results) {
  const auto unit = results::work_unit_of(form);
  if (!results) return {unit.name, {}, {}};
  const double value = *results / unit.threads;
  const auto of_one = results::multiply_adds_of(form);
  return {unit.name, value, of_one ? std::optional(*of_one * value) : std::nullopt};
}

const std::string& example_of(const results::Opcode& row) {
  static const std::string none;
  return row.forms.empty() ? none : row.forms.front();
}

// The further opcodes of a group, cut after the first: opcodes.csv has all of them.
std::string others_of(const std::vector<std::size_t>& group, const std::vector<results::Opcode>& opcodes) {
  if (group.size() == 1) return "";
  const auto& next = opcodes[group[1]].name;
  return group.size() == 2 ? next : fmt::format("{} and {} more", next, group.size() - 2);
}

// "O0 O3"
std::string levels_of(const results::Opcode& row) {
  std::string text;
  for (const int level : row.levels) text += fmt::format("{}O{}", text.empty() ? "" : " ", level);
  return text;
}

template <class Write>
std::string text_of(Write write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

void write_opcodes_csv(std::ostream& out, const std::vector<results::Opcode>& opcodes) {
  out << opcode_columns << '\n';
  for (const auto& row : opcodes) {
    const auto throughput = throughput_of(example_of(row), row.throughput);
    write_csv_line(out, {row.name,
                         row.pipe,
                         text_of(row.counters),
                         row.stands_for_it,
                         rounded(throughput.value),
                         throughput.unit,
                         rounded(throughput.multiply_adds),
                         rounded(row.interval),
                         rounded(row.saturates_at),
                         rounded(row.in_flight),
                         to_string(row.arrival),
                         rounded(row.latency),
                         text_of(row.latencies),
                         rounded(row.hazard),
                         text_of(row.operand_costs),
                         std::to_string(row.forms.size()),
                         levels_of(row),
                         fmt::format("{}", fmt::join(row.versions, " ")),
                         example_of(row),
                         row.note});
  }
}

void write_contention_csv(std::ostream& out, const std::vector<results::Record>& contention) {
  out << "a,b,score,floor,verdict,note\n";
  for (const auto& record : contention) {
    write_csv_line(out, {record.ptx, record.operand, rounded(record.number(metric::contention)),
                         rounded(record.number(metric::floor)), to_string(record.verdict), record.note});
  }
}

void write_operand_costs_csv(std::ostream& out, const std::vector<results::Record>& costs) {
  out << "opcode,operand,interval,cost,verdict,note\n";
  for (const auto& record : costs) {
    write_csv_line(out, {record.ptx, record.operand, rounded(record.number(metric::interval)),
                         rounded(record.number(metric::operand_cost)), to_string(record.verdict), record.note});
  }
}

void write_counters_csv(std::ostream& out, const std::vector<results::Opcode>& opcodes) {
  out << "opcode,pipe,share\n";
  for (const auto& row : opcodes) {
    for (const auto& [pipe, share] : row.counters) write_csv_line(out, {row.name, pipe, rounded(share)});
  }
}

void write_throughput_csv(std::ostream& out, const std::vector<results::Record>& throughput) {
  out << throughput_columns << '\n';
  for (const auto& record : throughput) {
    const auto [unit, value, multiply_adds] = throughput_of(record.ptx, record.number(metric::throughput));
    write_csv_line(
        out,
        {record.ptx, record.input, record.operand, fmt::format("O{}", record.level), rounded(value), unit,
         rounded(multiply_adds), rounded(record.number(metric::interval)), rounded(record.number(metric::saturates_at)),
         fmt::format("{}", fmt::join(record.sass, record.has_flag(results::flag::takes_turns) ? "|" : ";")),
         std::to_string(record.sass_count), to_string(record.verdict), record.note});
  }
}

// Of opcodes alone: longer code has its number, and its curve in the records.
void write_curves_csv(std::ostream& out, const OpcodeFiles& files) {
  std::map<std::string_view, const results::Record*> curves;  // the first of each opcode
  for (const auto& record : files.throughput) {
    if (record.sass.size() == 1 && !record.series.empty() && results::is_curve(record.series.front()))
      curves.emplace(record.sass.front(), &record);
  }
  out << "opcode,warps,value\n";
  for (const auto& row : files.opcodes) {
    const auto found = curves.find(row.name);
    if (found == curves.end()) continue;
    const auto& [ptx, series] = std::tie(found->second->ptx, found->second->series.front());
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const auto throughput = throughput_of(ptx, series.values[i]);
      write_csv_line(out, {row.name, decimal(series.axes.front().values[i]), rounded(throughput.value)});
    }
  }
}

// latency: from one copy of a chain to the next, in cycles.
void write_in_flight_csv(std::ostream& out, const std::vector<results::Record>& in_flight) {
  out << "opcode,chains,warps,throughput,latency,example\n";
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
        write_csv_line(out, {record.ptx, decimal(chains), decimal(warps),
                             rounded(throughput_of(record.operand, results).value), rounded(latency), record.operand});
      }
    }
  }
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
    if (member != group.front()) row.forms.insert(row.forms.end(), other.forms.begin(), other.forms.end());
  }
  return row;
}

Grid grid_of(const std::vector<results::Opcode>& opcodes) {
  Grid grid{{{"opcode"},
             {"and alike"},
             {"pipe"},
             {"counters"},
             {"throughput", true},
             {"unit"},
             {"interval", true},
             {"saturates at", true},
             {"in flight", true},
             {"arrival"},
             {"latency", true},
             {"latencies"},
             {"hazard", true},
             {"operand costs"},
             {"forms", true},
             {"levels"},
             {"versions"},
             {"example"},
             {"note"}},
            {}};
  for (const auto& group : alike_opcodes(opcodes)) {
    const auto row = joined(group, opcodes);
    const auto throughput = throughput_of(example_of(row), row.throughput);
    grid.rows.push_back({code(row.name), others_of(group, opcodes), row.pipe, text_of(row.counters),
                         rounded(throughput.value), throughput.unit, rounded(row.interval), rounded(row.saturates_at),
                         rounded(row.in_flight), to_string(row.arrival), rounded(row.latency), text_of(row.latencies),
                         rounded(row.hazard), text_of(row.operand_costs), std::to_string(row.forms.size()),
                         levels_of(row), fmt::format("{}", fmt::join(row.versions, " ")),
                         row.forms.empty() ? Span{} : code(row.forms.front()), row.note});
  }
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
  page.table(grid_of(files.opcodes));
}

}  // namespace

void write_opcode_files(const Folder& folder, const OpcodeFiles& files) {
  const auto records = records_of(files);
  replace_files(
      folder,
      {{"series/throughput.csv.gz", gzip(text_of([&](auto& out) { write_curves_csv(out, files); }))},
       {"series/in_flight.csv.gz", gzip(text_of([&](auto& out) { write_in_flight_csv(out, files.in_flight); }))},
       {opcodes_name, text_of([&](auto& out) { write_opcodes_csv(out, files.opcodes); })},
       {"opcodes.md", text_of([&](auto& out) { write_opcodes_page(out, files); })},
       {"contention.csv", text_of([&](auto& out) { write_contention_csv(out, files.contention); })},
       {"operand_costs.csv", text_of([&](auto& out) { write_operand_costs_csv(out, files.operand_costs); })},
       {"counters.csv", text_of([&](auto& out) { write_counters_csv(out, files.opcodes); })},
       {throughput_name, gzip(text_of([&](auto& out) { write_throughput_csv(out, files.throughput); }))},
       {throughput_forms_name, gzip(text_of([&](auto& out) { write_forms(out, files.spellings); }))},
       lines_file(opcode_records_name, records),
       {opcode_runs_name, provenance_of(records, files.runs)}});
  remove_file(folder, packed_opcodes_name);  // an earlier one's, if it was compressed
  remove_old_lines(folder, opcode_records_name);
}

OpcodeFiles read_opcode_files(const std::filesystem::path& folder) {
  OpcodeFiles files;
  if (!has_record_lines(folder, opcode_records_name))
    throw Error(ExitCode::storage, fmt::format("there are no opcodes in {}", folder.string()),
                fmt::format("Name the folder that has {}.jsonl.zst.", opcode_records_name));
  for (auto& record : read_record_lines(folder, opcode_records_name)) {
    auto& of_kind = record.kind == results::RecordKind::throughput   ? files.throughput
                    : record.kind == results::RecordKind::contention ? files.contention
                    : record.kind == results::RecordKind::counters   ? files.counters
                    : record.kind == results::RecordKind::in_flight  ? files.in_flight
                                                                     : files.operand_costs;
    of_kind.push_back(std::move(record));
  }
  files.runs = read_opcode_runs(folder);
  files.spellings = read_throughput_forms(folder);
  return files;
}

std::vector<Spelling> read_throughput_forms(const std::filesystem::path& folder) {
  const auto file = folder / throughput_forms_name;
  if (!std::filesystem::exists(file)) return {};
  std::istringstream in(unpacked(file, gunzip));
  return read_forms(in, file.string());
}

std::vector<results::Run> read_opcode_runs(const std::filesystem::path& folder) {
  return read_provenance(folder / opcode_runs_name);
}

void write_opcode_text(std::ostream& out, const std::vector<results::Opcode>& opcodes) {
  Page page(out, {});
  page.table(grid_of(opcodes));
}

}  // namespace ptxlat::tables
