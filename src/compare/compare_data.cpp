// SPDX-License-Identifier: Apache-2.0

// Comparisons for programs: docs/comparison-format.md is the contract.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/csv.h"
#include "compare/code_change.h"
#include "compare/compare_write.h"
#include "results/json.h"
#include "tables/column.h"
#include "tables/number.h"
#include "tables/operands.h"

namespace ptxlat::compare {

namespace {

constexpr int comparison_format = 1;
constexpr std::size_t extremes_of_summary = 10;  // of each kind in a summary

WindowPair changed_windows(const Difference& row, CodeComparison& code) {
  if (row.cause == Cause::other_sass) return code.first_changed(CodeChange::opcodes, *row.a, *row.b);
  if (row.cause == Cause::other_stall_counts) return code.first_changed(CodeChange::schedule, *row.a, *row.b);
  return {};
}

// A row of the csv, with the first windows whose code changed as its cause says.
struct ComparedRow {
  const Comparison* comparison = nullptr;
  const Difference* difference = nullptr;
  WindowPair windows;
};
using ComparedColumn = tables::Column<ComparedRow>;

template <class Text>
void add(tables::Columns<ComparedRow>& columns, std::string name, std::string description, Text text) {
  columns.push_back(ComparedColumn{std::move(name), "", std::move(description), std::move(text), {}});
}

// NAME_a and NAME_b; empty where a side has no cell.
template <class Text>
void add_sides(tables::Columns<ComparedRow>& columns, const std::string& name, const std::string& description,
               Text text) {
  add(columns, name + "_a", description,
      [text](const ComparedRow& row) { return row.difference->a ? text(row.difference->a->record) : std::string(); });
  add(columns, name + "_b", description,
      [text](const ComparedRow& row) { return row.difference->b ? text(row.difference->b->record) : std::string(); });
}

// Cut: readers of csv, such as Python's, take no field of more than 131,072 characters, and some functions are longer.
std::string code_text(const tables::CellWindow* window) {
  if (!window) return {};
  constexpr std::size_t longest = 100'000;
  auto text = fmt::format("{}", fmt::join(code_lines(window->code), "; "));
  if (text.size() <= longest) return text;
  return text.substr(0, text.rfind(';', longest)) + "; …";
}

tables::Columns<ComparedRow> comparison_columns() {
  using results::Record;
  tables::Columns<ComparedRow> made;
  add(made, "a", "What distinguishes side A.", [](const ComparedRow& row) { return row.comparison->a.label; });
  add(made, "b", "What distinguishes side B.", [](const ComparedRow& row) { return row.comparison->b.label; });
  add(made, "ptx", "The form.", [](const ComparedRow& row) { return row.difference->record().ptx; });
  add(made, "chapter", "Its chapter.", [](const ComparedRow& row) { return row.difference->record().chapter; });
  add(made, "operand", "The source operands.",
      [](const ComparedRow& row) { return tables::operand_list(row.difference->operands); });
  add(made, "input", "The input class.", [](const ComparedRow& row) { return row.difference->record().input; });
  add_sides(made, "opt", "The level.", [](const Record& record) { return fmt::format("O{}", record.level); });
  add(made, "cause", "Why the sides differ.",
      [](const ComparedRow& row) -> std::string { return to_string(row.difference->cause); });
  for (const auto tag : shown_metrics())
    add_sides(made, std::string(tag), "As in the tables.",
              [tag](const Record& record) { return tables::decimal(record.number(tag)); });
  const auto leading = [](const ComparedRow& row) { return leading_of(*row.comparison, *row.difference); };
  add(made, "change", "B minus A, of the main number.",
      [leading](const ComparedRow& row) { return tables::decimal(leading(row).change()); });
  add(made, "ratio", "B over A.", [leading](const ComparedRow& row) { return tables::decimal(leading(row).ratio()); });
  add_sides(made, "verdict", "As in the tables.",
            [](const Record& record) -> std::string { return to_string(record.verdict); });
  add_sides(made, "sass", "As in the tables.",
            [](const Record& record) { return fmt::format("{}", fmt::join(record.sass, ";")); });
  add(made, "window", "The role of the first window whose code changed.",
      [](const ComparedRow& row) { return row.windows.a ? std::string(row.windows.a->role) : ""; });
  add(made, "code_a", "Its machine code.", [](const ComparedRow& row) { return code_text(row.windows.a); });
  add(made, "code_b", "Its machine code.", [](const ComparedRow& row) { return code_text(row.windows.b); });
  add_sides(made, "note", "As in the tables.", [](const Record& record) { return record.note; });
  add_sides(made, "consumer", "The instruction that waited.", [](const Record& record) { return record.consumer; });
  return made;
}

void put_metrics(results::Json& json, const results::Record& record) {
  for (const auto tag : shown_metrics()) json[std::string(tag)] = results::json_number(record.number(tag));
}

results::Json side_json(const Side& side) {
  const results::Run& run = side.table->run;
  results::Json json = {{"label", side.label}, {"folder", side.folder}, {"level", nullptr}};
  if (side.level) json["level"] = *side.level;
  json["table"] = run.table;
  json["kind"] = run.kind;
  json["toolchain"] = run.toolchain;
  json["target"] = run.target;
  json["gpu"] = run.device ? results::Json(run.device->name) : results::Json(nullptr);
  json["started_utc"] = run.started_utc;
  json["cells"] = side.table->cells.size();
  return json;
}

results::Json counts_json(const CauseCounts& counts) {
  results::Json json = {{"compared", counts.compared}, {"unchanged", counts.unchanged}};
  results::Json& causes = json["causes"] = results::Json::object();
  for (const auto& [cause, count] : counts.causes) causes[to_string(cause)] = count;
  return json;
}

// For a row of a comparison or a matrix.
template <typename AnyRow>
results::Json key_json(const AnyRow& row) {
  const results::Record& cell = row.record();
  return {{"ptx", cell.ptx},
          {"chapter", cell.chapter},
          {"operand", tables::operand_list(row.operands)},
          {"input", cell.input}};
}

results::Json extremes_json(const Comparison& comparison, const std::vector<const Difference*>& rows) {
  results::Json list = results::Json::array();
  for (std::size_t i = 0; i < std::min(extremes_of_summary, rows.size()); ++i) {
    const Numbers numbers = leading_of(comparison, *rows[i]);
    results::Json json = key_json(*rows[i]);
    json["opt_a"] = rows[i]->a->record.level;
    json["a"] = results::json_number(numbers.a);
    json["b"] = results::json_number(numbers.b);
    list.push_back(std::move(json));
  }
  return list;
}

results::Json summary_json(const Comparison& comparison) {
  const Summary summary = summarize(comparison);
  results::Json json = counts_json(summary.total);
  json["fewer"] = summary.fewer;
  json["more"] = summary.more;
  json["equal"] = summary.equal;
  json["median_ratio"] = summary.median_ratio;
  results::Json& chapters = json["chapters"] = results::Json::object();
  for (const auto& [chapter, counts] : summary.chapters) chapters[chapter] = counts_json(counts);
  json["gains"] = extremes_json(comparison, summary.gains);
  json["losses"] = extremes_json(comparison, summary.losses);
  return json;
}

results::Json cell_json(const tables::Cell* cell, const tables::CellWindow* changed) {
  if (!cell) return nullptr;
  const results::Record& record = cell->record;
  results::Json json = {{"opt", record.level}, {"verdict", to_string(record.verdict)}};
  put_metrics(json, record);
  json["sass"] = record.sass;
  json["consumer"] = record.consumer;
  json["note"] = record.note;
  if (changed) json["code"] = code_lines(changed->code);
  return json;
}

results::Json row_json(const Comparison& comparison, const Difference& row, CodeComparison& code) {
  const WindowPair windows = changed_windows(row, code);
  const Numbers leading = leading_of(comparison, row);
  results::Json json = key_json(row);
  json["cause"] = to_string(row.cause);
  json["change"] = results::json_number(leading.change());
  json["ratio"] = results::json_number(leading.ratio());
  if (windows.a) json["window"] = std::string(windows.a->role);
  json["a"] = cell_json(row.a, windows.a);
  json["b"] = cell_json(row.b, windows.b);
  return json;
}

results::Json matrix_row_json(const MatrixRow& row, bool has_levels) {
  results::Json json = key_json(row);
  if (has_levels) json["opt"] = row.record().level;
  results::Json& cells = json["cells"] = results::Json::array();
  for (const tables::Cell* cell : row.cells) {
    if (!cell) {
      cells.push_back(nullptr);
      continue;
    }
    results::Json& one = cells.emplace_back(results::Json{{"verdict", to_string(cell->record.verdict)}});
    put_metrics(one, cell->record);
  }
  results::Json& steps = json["steps"] = results::Json::array();
  for (const Step& step : row.steps) steps.push_back({{"table", step.table}, {"cause", to_string(step.cause)}});
  return json;
}

// A long list, with one element per line: rows are not kept as a tree.
template <typename List, typename ToJson>
void write_list(std::ostream& out, const List& list, ToJson element) {
  out << '[';
  bool is_first = true;
  for (const auto& item : list) {
    out << (is_first ? "\n" : ",\n") << results::to_line(element(item));
    is_first = false;
  }
  out << ']';
}

void write_comparison(std::ostream& out, const Comparison& comparison) {
  results::Json head = {{"a", side_json(comparison.a)},
                        {"b", side_json(comparison.b)},
                        {"numbers", std::string(comparison.headline)},
                        {"summary", summary_json(comparison)}};
  if (comparison.facts) head["facts"] = facts_json(*comparison.facts);
  if (comparison.opcodes) head["opcodes"] = opcodes_json(*comparison.opcodes);
  std::string text = results::to_line(head);
  text.pop_back();  // the brace: the rows follow
  out << text << ",\"rows\":";
  CodeComparison code;
  write_list(out, comparison.rows, [&](const Difference& row) { return row_json(comparison, row, code); });
  out << '}';
}

void write_matrix(std::ostream& out, const Matrix& matrix) {
  results::Json sides = results::Json::array();
  for (const Side& side : matrix.sides) sides.push_back(side_json(side));
  out << "{\"tables\":" << results::to_line(sides) << ",\"rows\":";
  write_list(out, matrix.rows, [&](const MatrixRow& row) { return matrix_row_json(row, matrix.has_levels()); });
  out << '}';
}

}  // namespace

void write_csv(std::ostream& out, const std::vector<Group>& groups) {
  const auto columns = comparison_columns();
  write_csv_line(out, tables::names_of(columns));
  for (const Group& group : groups) {
    for (const Comparison& comparison : group.comparisons) {
      CodeComparison code;
      for (const Difference& row : comparison.rows)
        write_csv_line(out, tables::fields_of(columns, ComparedRow{&comparison, &row, changed_windows(row, code)}));
    }
  }
}

void write_json(std::ostream& out, const std::vector<Group>& groups, const std::string& version,
                const std::string& method) {
  out << fmt::format("{{\"format\":{},\"version\":\"{}\",\"method\":\"{}\",\"comparisons\":[", comparison_format,
                     version, method);
  const char* separator = "\n";
  for (const Group& group : groups) {
    for (const Comparison& comparison : group.comparisons) {
      out << separator;
      write_comparison(out, comparison);
      separator = ",\n";
    }
  }
  out << "],\n\"matrices\":[";
  separator = "\n";
  for (const Group& group : groups) {
    if (!group.matrix) continue;
    out << separator;
    write_matrix(out, *group.matrix);
    separator = ",\n";
  }
  out << "]}\n";
}

}  // namespace ptxlat::compare
