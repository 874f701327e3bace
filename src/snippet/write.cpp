// SPDX-License-Identifier: Apache-2.0
#include "snippet/write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "assemble/log_lines.h"
#include "base/csv.h"
#include "latency/plan.h"
#include "results/json.h"
#include "tables/csv.h"
#include "tables/number.h"

namespace ptxlat::snippet {

namespace {

std::string number_in(const results::Record& record, std::string_view tag) {
  return tables::decimal(record.number(tag));
}

// "17 ±1"
std::string estimate_in(const results::Record& record) {
  const auto estimate = number_in(record, results::metric::estimate);
  return estimate.empty() ? estimate : estimate + " ±" + number_in(record, results::metric::estimate_error);
}

// "FFMA;MUFU.RCP×2": repetitions in a row are counted.
std::string opcodes_in(const results::Record& record) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < record.sass.size();) {
    std::size_t end = i;
    while (end < record.sass.size() && record.sass[end] == record.sass[i]) ++end;
    runs.push_back(end - i == 1 ? record.sass[i] : fmt::format("{}×{}", record.sass[i], end - i));
    i = end;
  }
  return fmt::format("{}", fmt::join(runs, ";"));
}

// Display columns: a continuation byte of UTF-8 takes none.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

constexpr std::array headings = {"source", "result",   "opt",     "cycles", "issue",
                                 "static", "estimate", "verdict", "SASS",   "note"};
using Row = std::array<std::string, headings.size()>;

bool is_numeric(std::size_t column) { return column >= 3 && column <= 6; }

bool has_estimate(const results::Record& record) { return record.number(results::metric::estimate).has_value(); }
bool has_estimates(const Measured& measured) {
  return std::any_of(measured.records.begin(), measured.records.end(), has_estimate);
}

// That a result does not depend on a source needs no note.
Row row_of(const results::Record& record) {
  const bool is_independent = record.verdict == sass::Verdict::no_dependency;
  return {record.operand.empty() ? "-" : record.operand,
          record.input.empty() ? "-" : record.input,
          fmt::format("O{}", record.level),
          number_in(record, results::metric::cycles),
          number_in(record, results::metric::issue),
          number_in(record, results::metric::static_cycles),
          estimate_in(record),
          to_string(record.verdict),
          opcodes_in(record),
          is_independent ? std::string{} : record.note};
}

// What is the same for several sources, with these.
template <class Item>
using WithSources = std::vector<std::pair<Item, std::vector<std::string>>>;

template <class Item>
void fold(WithSources<Item>& folded, const Item& item, const std::string& source) {
  const auto same = std::find_if(folded.begin(), folded.end(), [&](const auto& one) { return one.first == item; });
  if (same == folded.end()) {
    folded.push_back({item, {source}});
  } else {
    same->second.push_back(source);
  }
}

// The highest level first, and in each the sources that a result has the same row for together: "a, b".
std::vector<Row> folded_rows(const std::vector<results::Record>& records) {
  std::vector<const results::Record*> sorted;
  for (const auto& record : records) sorted.push_back(&record);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->level > b->level; });
  WithSources<Row> folded;
  for (const auto* record : sorted) {
    auto row = row_of(*record);
    const auto source = std::exchange(row.front(), {});
    fold(folded, row, source);
  }
  std::vector<Row> rows;
  for (const auto& [row, sources] : folded) {
    rows.push_back(row);
    rows.back().front() = fmt::format("{}", fmt::join(sources, ", "));
  }
  return rows;
}

// "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// "9 cycles", "at least 11 cycles (35 ±2 expected)"; empty without a number.
std::string time_of(const results::Record& record) {
  const auto cycles = number_in(record, results::metric::cycles);
  const bool has_more = record.measure == results::Measure::whole_sequence;
  if (!cycles.empty()) return cycles + (has_more ? " cycles (whole sequence)" : " cycles");
  const auto by_schedule = number_in(record, results::metric::static_cycles);
  if (by_schedule.empty()) return {};
  const bool branches = record.has_flag(results::flag::branches);
  const bool is_bound = record.has_flag(results::flag::static_is_lower_bound) && !branches;
  const auto estimate = estimate_in(record);
  return fmt::format("{}{} cycles{}{}", is_bound ? "at least " : "", by_schedule,
                     branches ? " along the straight line of code that branches" : "",
                     estimate.empty() ? "" : " (" + estimate + " expected)");
}

// "-O3: 9 cycles from a or b, 4 cycles from c to d; one every 2": of one result at one level. Empty without a number.
std::string headline_of(const std::vector<const results::Record*>& records) {
  WithSources<std::string> times;
  for (const auto* record : records) {
    if (const auto time = time_of(*record); !time.empty()) fold(times, time, record->operand);
  }
  if (times.empty()) return {};
  std::string line;
  for (const auto& [time, sources] : times) {
    const auto from = alternatives(sources);
    line += (line.empty() ? "" : ", ") + time + (from.empty() ? "" : " from " + from);
  }
  const auto& first = *records.front();
  line = fmt::format("-O{}: {}{}", first.level, line, first.input.empty() ? "" : " to " + first.input);
  // That of the whole snippet, in each record that has it.
  const auto with_issue = std::find_if(records.begin(), records.end(),
                                       [](const auto* one) { return one->number(results::metric::issue).has_value(); });
  if (with_issue != records.end()) {
    const bool is_bound = (*with_issue)->has_flag(results::flag::issue_is_lower_bound);
    line +=
        fmt::format("; one every {}{}", number_in(**with_issue, results::metric::issue), is_bound ? " or more" : "");
  }
  return line;
}

// A line for each result at the highest level.
std::vector<std::string> headlines(const std::vector<results::Record>& records,
                                   const std::map<std::string, std::string>& limits) {
  const int level = highest_level(records);
  std::vector<std::string> results, lines;
  for (const auto& record : records) {
    if (std::find(results.begin(), results.end(), record.input) == results.end()) results.push_back(record.input);
  }
  for (const auto& result : results) {
    std::vector<const results::Record*> of_result;
    for (const auto& record : records) {
      if (record.input == result && record.level == level) of_result.push_back(&record);
    }
    auto line = headline_of(of_result);
    if (line.empty()) continue;
    if (const auto limit = limits.find(result); limit != limits.end()) line += "; " + limit->second;
    lines.push_back(std::move(line));
  }
  return lines;
}

// Columns that are empty in all rows are left out.
void write_rows(std::ostream& out, const std::vector<Row>& rows) {
  std::array<std::size_t, headings.size()> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  const auto write_row = [&](const Row& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      const auto width = std::max(widths[i], width_of(headings[i]));
      const std::string room(width - width_of(row[i]), ' ');
      line += is_numeric(i) ? room + row[i] : row[i] + room;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  Row heading;
  std::copy(headings.begin(), headings.end(), heading.begin());
  write_row(heading);
  for (const auto& row : rows) write_row(row);
}

std::string names_and_types(const Snippet& snippet, const std::vector<std::size_t>& values) {
  std::vector<std::string> names;
  for (const auto value : values)
    names.push_back(fmt::format("{} .{}", snippet.values[value].name, snippet.values[value].type));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

// "throughput at O3: 32 per clock and SM, one every 4 cycles per sub-partition, from 8 warps on".
std::string throughput_line(const results::Record& record) {
  const auto throughput = record.number(results::metric::throughput);
  auto line = fmt::format("throughput at O{}: ", record.level);
  if (!throughput) return line + fmt::format("{}, {}", to_string(record.verdict), record.note);
  line += fmt::format("{:.4g} per clock and SM", *throughput);
  if (const auto interval = record.number(results::metric::interval))
    line += fmt::format(", one every {:.4g} cycles per sub-partition", *interval);
  if (const auto warps = record.number(results::metric::saturates_at))
    line += fmt::format(", from {} warps on", *warps);
  return line + (record.note.empty() ? "" : "; " + record.note);
}

results::Json cell_to_json(const results::Record& record) {
  auto cell = results::to_json(record);
  for (const char* name : {"kind", "ptx", "chapter", "core", "operand", "input", "recipe"}) cell.erase(name);
  return cell;
}

constexpr int json_format = 1;

results::Json head_of(const std::string& text, const std::string& version) {
  return {{"format", json_format}, {"version", version}, {"method", latency::method_version}, {"snippet", text}};
}

results::Json names_to_json(const Snippet& snippet, const std::vector<std::size_t>& values) {
  auto names = results::Json::array();
  for (const auto value : values)
    names.push_back({{"name", snippet.values[value].name}, {"type", snippet.values[value].type}});
  return names;
}

}  // namespace

int highest_level(const std::vector<results::Record>& records) {
  int level = 0;
  for (const auto& record : records) level = std::max(level, record.level);
  return level;
}

results::Record without_dependence(const Pair& pair, int level) {
  results::Record record;
  record.operand = pair.source;
  record.input = pair.result;
  record.level = level;
  results::give_up(record, sass::Verdict::no_dependency,
                   fmt::format("{} does not depend on {}", pair.result, pair.source));
  return record;
}

void name_place(results::Record& record, const Snippet& snippet, const std::string& log) {
  if (record.verdict != sass::Verdict::rejected) return;
  // The first message; its line is one of a kernel that the user does not see.
  record.note.resize(std::min(record.note.find('\n'), record.note.size()));
  constexpr std::string_view mark = "error: ";
  if (const auto error = record.note.find(mark); error != std::string::npos && record.note.starts_with("line "))
    record.note.erase(0, error + mark.size());
  const auto name = assemble::quoted_name(log);
  if (name.empty()) return;
  std::vector<std::string> places;
  for (const auto& statement : snippet.text.statements) {
    if (statement.opcode == name || statement.opcode.starts_with(name + "."))
      places.push_back(fmt::format("{}:{}", statement.place.line, statement.place.column));
  }
  if (!places.empty()) record.note += fmt::format("; in the snippet at {}", fmt::join(places, ", "));
}

void write_text(std::ostream& out, const std::vector<Measured>& measured) {
  const char* separator = "";
  for (const auto& one : measured) {
    const auto& snippet = *one.snippet;
    const bool with_estimates = has_estimates(one);
    out << separator << one.toolchain << ", " << one.target << ", "
        << (one.gpu.empty() ? "from the schedule" + (with_estimates ? ", estimates from " + one.card : "") : one.gpu)
        << (one.nvrtc.empty() ? "" : ", " + one.nvrtc) << "\nsources " << names_and_types(snippet, snippet.sources)
        << "; results " << names_and_types(snippet, snippet.results) << '\n';
    if (!one.conditions.empty()) out << one.conditions << '\n';
    out << '\n';
    const auto lines = headlines(one.records, one.limits);
    for (const auto& line : lines) out << line << '\n';
    if (!lines.empty()) out << '\n';
    write_rows(out, folded_rows(one.records));
    if (!one.throughput.empty()) out << '\n';
    for (const auto& record : one.throughput) out << throughput_line(record) << '\n';
    separator = "\n";
  }
}

void write_csv_header(std::ostream& out) {
  out << "toolchain,target,gpu,source,result,opt,cycles,issue,static,estimate,estimate_error,measure,consumer,sass,"
         "sass_count,verdict,note,snippet\n";
}

void write_csv(std::ostream& out, const std::vector<Measured>& measured, std::size_t number) {
  for (const auto& one : measured) {
    for (const auto& record : one.records) {
      const char* separator = "";
      for (const std::string& field :
           {one.toolchain, one.target, one.gpu, record.operand, record.input, fmt::format("{}", record.level),
            number_in(record, results::metric::cycles), number_in(record, results::metric::issue),
            number_in(record, results::metric::static_cycles), number_in(record, results::metric::estimate),
            number_in(record, results::metric::estimate_error),
            record.measure ? std::string(to_string(*record.measure)) : std::string{}, record.consumer,
            fmt::format("{}", fmt::join(record.sass, ";")),
            record.sass.empty() ? std::string{} : fmt::format("{}", record.sass_count),
            std::string(to_string(record.verdict)), record.note, fmt::format("{}", number)}) {
        out << separator;
        write_csv_field(out, field);
        separator = ",";
      }
      out << '\n';
    }
  }
}

void write_json_error(std::ostream& out, const std::string& text, const std::string& version,
                      const std::string& message) {
  auto whole = head_of(text, version);
  whole["error"] = message;
  out << results::to_line(whole) << '\n';
}

void write_json(std::ostream& out, const std::string& text, const std::string& version,
                const std::vector<Measured>& measured) {
  auto whole = head_of(text, version);
  whole["measured"] = results::Json::array();
  for (const auto& one : measured) {
    results::Json json = {{"toolchain", one.toolchain}, {"target", one.target}};
    if (!one.gpu.empty()) json["gpu"] = one.gpu;
    if (!one.nvrtc.empty()) json["nvrtc"] = one.nvrtc;
    if (has_estimates(one)) json["card"] = one.card;
    if (!one.conditions.empty()) json["conditions"] = one.conditions;
    json["sources"] = names_to_json(*one.snippet, one.snippet->sources);
    json["results"] = names_to_json(*one.snippet, one.snippet->results);
    json["remarks"] = one.snippet->remarks;
    json["cells"] = results::Json::array();
    for (const auto& record : one.records) {
      auto cell = cell_to_json(record);
      cell["source"] = record.operand;
      cell["result"] = record.input;
      json["cells"].push_back(std::move(cell));
    }
    for (const auto& record : one.throughput) json["throughput"].push_back(cell_to_json(record));
    whole["measured"].push_back(std::move(json));
  }
  out << results::to_line(whole) << '\n';
}

}  // namespace ptxlat::snippet
