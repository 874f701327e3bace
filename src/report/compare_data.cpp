// Comparisons for programs: docs/comparison-format.md is the contract.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/code_change.h"
#include "report/compare_write.h"
#include "report/csv.h"
#include "report/number.h"
#include "results/json.h"

namespace ptxlat {

namespace {

constexpr int comparison_format = 1;
constexpr std::size_t extremes = 10;  // of each kind in a summary

constexpr const char* csv_columns =
    "a,b,ptx,chapter,operand,input,opt_a,opt_b,cause,cycles_a,cycles_b,issue_a,issue_b,static_a,static_b,change,ratio,"
    "verdict_a,verdict_b,sass_a,sass_b,window,code_a,code_b,note_a,note_b";

// "other_sass": for programs, without spaces.
std::string name_of(Cause cause) {
  std::string name = to_string(cause);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name;
}

WindowPair changed_windows(const Difference& row, CodeComparison& code) {
  if (row.cause == Cause::other_sass) return code.first_changed(CodeChange::opcodes, *row.a, *row.b);
  if (row.cause == Cause::other_stall_counts) return code.first_changed(CodeChange::schedule, *row.a, *row.b);
  return {};
}

void write_csv_row(std::ostream& out, const Comparison& comparison, const Difference& row, CodeComparison& code) {
  const WindowPair windows = changed_windows(row, code);
  const Numbers leading = leading_of(comparison, row);
  const auto of_side = [](const CellOutline* cell, auto text) { return cell ? text(cell->columns) : std::string(); };
  const auto both = [&](auto text) {
    write_csv_field(out, of_side(row.a, text));
    out << ',';
    write_csv_field(out, of_side(row.b, text));
    out << ',';
  };
  const CellRecord& any = row.any();
  for (const std::string* text :
       {&comparison.a.label, &comparison.b.label, &any.ptx, &any.chapter, &any.operand, &any.input}) {
    write_csv_field(out, *text);
    out << ',';
  }
  both([](const CellRecord& cell) { return fmt::format("O{}", cell.level); });
  out << name_of(row.cause) << ',';
  both([](const CellRecord& cell) { return decimal(cell.cycles); });
  both([](const CellRecord& cell) { return decimal(cell.issue); });
  both([](const CellRecord& cell) { return decimal(cell.static_cycles); });
  out << decimal(leading.change()) << ',' << decimal(leading.ratio()) << ',';
  both([](const CellRecord& cell) { return std::string(to_string(cell.verdict)); });
  both([](const CellRecord& cell) { return fmt::format("{}", fmt::join(cell.sass, ";")); });
  out << (windows.a ? windows.a->role : "") << ',';
  for (const WindowOutline* window : {windows.a, windows.b}) {
    if (window) write_csv_field(out, fmt::format("{}", fmt::join(code_lines(window->code), "; ")));
    out << ',';
  }
  write_csv_field(out, row.a ? row.a->columns.note : "");
  out << ',';
  write_csv_field(out, row.b ? row.b->columns.note : "");
  out << '\n';
}

Json number(const std::optional<double>& value) {
  if (!value) return nullptr;
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  if (*value == std::trunc(*value) && std::abs(*value) < exact_integers) return static_cast<std::int64_t>(*value);
  return *value;
}

Json side_json(const Side& side) {
  const Provenance& provenance = side.table->provenance;
  Json json = {{"label", side.label}, {"folder", side.folder}, {"level", nullptr}};
  if (side.level) json["level"] = *side.level;
  json["table"] = provenance.table;
  json["kind"] = provenance.kind;
  json["toolchain"] = provenance.toolchain;
  json["target"] = provenance.target;
  json["gpu"] = provenance.device ? Json(provenance.device->name) : Json(nullptr);
  json["started_utc"] = provenance.started_utc;
  json["cells"] = side.table->cells.size();
  return json;
}

Json counts_json(const CauseCounts& counts) {
  Json json = {{"compared", counts.compared}, {"unchanged", counts.unchanged}};
  Json& causes = json["causes"] = Json::object();
  for (const auto& [cause, count] : counts.causes) causes[name_of(cause)] = count;
  return json;
}

Json key_json(const CellRecord& cell) {
  return {{"ptx", cell.ptx}, {"chapter", cell.chapter}, {"operand", cell.operand}, {"input", cell.input}};
}

Json extremes_json(const Comparison& comparison, const std::vector<const Difference*>& rows) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(extremes, rows.size()); ++i) {
    const Numbers numbers = leading_of(comparison, *rows[i]);
    Json json = key_json(rows[i]->any());
    json["opt_a"] = rows[i]->a->columns.level;
    json["a"] = number(numbers.a);
    json["b"] = number(numbers.b);
    list.push_back(std::move(json));
  }
  return list;
}

Json summary_json(const Comparison& comparison) {
  const Summary summary = summarize(comparison);
  Json json = counts_json(summary.total);
  json["fewer"] = summary.fewer;
  json["more"] = summary.more;
  json["equal"] = summary.equal;
  json["median_ratio"] = summary.median_ratio;
  Json& chapters = json["chapters"] = Json::object();
  for (const auto& [chapter, counts] : summary.chapters) chapters[chapter] = counts_json(counts);
  json["gains"] = extremes_json(comparison, summary.gains);
  json["losses"] = extremes_json(comparison, summary.losses);
  return json;
}

Json cell_json(const CellOutline* cell, const WindowOutline* changed) {
  if (!cell) return nullptr;
  const CellRecord& columns = cell->columns;
  Json json = {{"opt", columns.level},
               {"verdict", to_string(columns.verdict)},
               {"cycles", number(columns.cycles)},
               {"issue", number(columns.issue)},
               {"static", number(columns.static_cycles)},
               {"sass", columns.sass},
               {"note", columns.note}};
  if (changed) json["code"] = code_lines(changed->code);
  return json;
}

Json row_json(const Comparison& comparison, const Difference& row, CodeComparison& code) {
  const WindowPair windows = changed_windows(row, code);
  const Numbers leading = leading_of(comparison, row);
  Json json = key_json(row.any());
  json["cause"] = name_of(row.cause);
  json["change"] = number(leading.change());
  json["ratio"] = number(leading.ratio());
  if (windows.a) json["window"] = std::string(windows.a->role);
  json["a"] = cell_json(row.a, windows.a);
  json["b"] = cell_json(row.b, windows.b);
  return json;
}

Json matrix_row_json(const MatrixRow& row, bool has_levels) {
  Json json = key_json(row.any());
  if (has_levels) json["opt"] = row.any().level;
  Json& cells = json["cells"] = Json::array();
  for (const CellOutline* cell : row.cells) {
    if (!cell) {
      cells.push_back(nullptr);
      continue;
    }
    const CellRecord& columns = cell->columns;
    cells.push_back({{"verdict", to_string(columns.verdict)},
                     {"cycles", number(columns.cycles)},
                     {"issue", number(columns.issue)},
                     {"static", number(columns.static_cycles)}});
  }
  Json& steps = json["steps"] = Json::array();
  for (const Step& step : row.steps) steps.push_back({{"table", step.table}, {"cause", name_of(step.cause)}});
  return json;
}

// A long list, a line an element: whole rows are not held as a tree.
template <typename List, typename ToJson>
void write_list(std::ostream& out, const List& list, ToJson element) {
  out << '[';
  bool is_first = true;
  for (const auto& item : list) {
    out << (is_first ? "\n" : ",\n") << to_line(element(item));
    is_first = false;
  }
  out << ']';
}

void write_comparison(std::ostream& out, const Comparison& comparison) {
  Json head = {{"a", side_json(comparison.a)},
               {"b", side_json(comparison.b)},
               {"numbers", comparison.by_schedule ? "static" : "cycles"},
               {"summary", summary_json(comparison)}};
  std::string text = to_line(head);
  text.pop_back();  // the brace: the rows follow
  out << text << ",\"rows\":";
  CodeComparison code;
  write_list(out, comparison.rows, [&](const Difference& row) { return row_json(comparison, row, code); });
  out << '}';
}

void write_matrix(std::ostream& out, const Matrix& matrix) {
  Json sides = Json::array();
  for (const Side& side : matrix.sides) sides.push_back(side_json(side));
  out << "{\"tables\":" << to_line(sides) << ",\"rows\":";
  write_list(out, matrix.rows, [&](const MatrixRow& row) { return matrix_row_json(row, matrix.has_levels()); });
  out << '}';
}

}  // namespace

void write_csv(std::ostream& out, const std::vector<Group>& groups) {
  out << csv_columns << '\n';
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

}  // namespace ptxlat
