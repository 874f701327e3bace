// SPDX-License-Identifier: Apache-2.0

// Comparisons for programs: docs/comparison-format.md is the contract.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compare/code_change.h"
#include "compare/compare_write.h"
#include "results/json.h"
#include "tables/csv.h"
#include "tables/number.h"
#include "tables/operands.h"

namespace ptxlat::compare {

namespace {

constexpr int comparison_format = 1;
constexpr std::size_t extremes_of_summary = 10;  // of each kind in a summary

std::string csv_header() {
  std::string numbers;
  for (const auto tag : shown_metrics()) numbers += fmt::format("{0}_a,{0}_b,", tag);
  return "a,b,ptx,chapter,operand,input,opt_a,opt_b,cause," + numbers +
         "change,ratio,verdict_a,verdict_b,sass_a,sass_b,window,code_a,code_b,note_a,note_b";
}

WindowPair changed_windows(const Difference& row, CodeComparison& code) {
  if (row.cause == Cause::other_sass) return code.first_changed(CodeChange::opcodes, *row.a, *row.b);
  if (row.cause == Cause::other_stall_counts) return code.first_changed(CodeChange::schedule, *row.a, *row.b);
  return {};
}

void write_csv_row(std::ostream& out, const Comparison& comparison, const Difference& row, CodeComparison& code) {
  const WindowPair windows = changed_windows(row, code);
  const Numbers leading = leading_of(comparison, row);
  const auto of_side = [](const tables::Cell* cell, auto text) { return cell ? text(cell->record) : std::string(); };
  const auto both = [&](auto text) {
    tables::write_csv_field(out, of_side(row.a, text));
    out << ',';
    tables::write_csv_field(out, of_side(row.b, text));
    out << ',';
  };
  const results::Record& any = row.record();
  const std::string operand = tables::operand_list(row.operands);
  for (const std::string* text :
       {&comparison.a.label, &comparison.b.label, &any.ptx, &any.chapter, &operand, &any.input}) {
    tables::write_csv_field(out, *text);
    out << ',';
  }
  both([](const results::Record& cell) { return fmt::format("O{}", cell.level); });
  out << to_string(row.cause) << ',';
  for (const auto tag : shown_metrics())
    both([&](const results::Record& record) { return tables::decimal(record.number(tag)); });
  out << tables::decimal(leading.change()) << ',' << tables::decimal(leading.ratio()) << ',';
  both([](const results::Record& cell) { return std::string(to_string(cell.verdict)); });
  both([](const results::Record& cell) { return fmt::format("{}", fmt::join(cell.sass, ";")); });
  out << (windows.a ? windows.a->role : "") << ',';
  for (const tables::CellWindow* window : {windows.a, windows.b}) {
    if (window) tables::write_csv_field(out, fmt::format("{}", fmt::join(code_lines(window->code), "; ")));
    out << ',';
  }
  tables::write_csv_field(out, row.a ? row.a->record.note : "");
  out << ',';
  tables::write_csv_field(out, row.b ? row.b->record.note : "");
  out << '\n';
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
  out << csv_header() << '\n';
  for (const Group& group : groups) {
    for (const Comparison& comparison : group.comparisons) {
      CodeComparison code;
      for (const Difference& row : comparison.rows) write_csv_row(out, comparison, row, code);
    }
  }
}

void write_json(std::ostream& out, const std::vector<Group>& groups) {
  out << fmt::format("{{\"format\":{},\"comparisons\":[", comparison_format);
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
