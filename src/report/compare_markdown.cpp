#include <fmt/format.h>

#include <algorithm>

#include "report/columns.h"
#include "report/compare_rows.h"
#include "report/compare_write.h"
#include "report/markdown_table.h"

namespace ptxlat {

namespace {

constexpr std::size_t code_width = 80;

std::string side_text(const Side& side) {
  return side.folder == side.label ? in_code(side.folder) : fmt::format("{}, {}", side.label, in_code(side.folder));
}

void write_summary(std::ostream& out, const Comparison& comparison) {
  const Summary summary = summarize(comparison);
  out << fmt::format("# {} against {}\n\n", comparison.b.label, comparison.a.label);
  out << fmt::format("- A: {}\n- B: {}\n", side_text(comparison.a), side_text(comparison.b));
  out << fmt::format("- {} rows compared, {} unchanged", summary.total.compared, summary.total.unchanged);
  if (!summary.total.causes.empty()) out << ", " << causes_text(summary.total.causes);
  out << fmt::format("\n- {} from A to B: {} fewer, {} more, {} equal; median ratio {:.3g}\n",
                     comparison.by_schedule ? "cycles of the schedule" : "cycles", summary.fewer, summary.more,
                     summary.equal, summary.median_ratio);
  const std::string gains = extremes_text(comparison, summary.gains);
  const std::string losses = extremes_text(comparison, summary.losses);
  if (!gains.empty()) out << "- biggest gains: " << markdown_escaped(gains) << '\n';
  if (!losses.empty()) out << "- biggest losses: " << markdown_escaped(losses) << '\n';
  if (comparison.rows.empty()) return;
  out << '\n';
  for (const auto& [cause, count] : summary.total.causes) {
    out << fmt::format("- *{}*: {}\n", to_string(cause), explanation(cause));
  }
  out << '\n';
  MarkdownTable chapters({"chapter", "rows", "unchanged", "changed"});
  for (const auto& [chapter, counts] : summary.chapters) {
    chapters.add({chapter.empty() ? "-" : markdown_escaped(chapter), std::to_string(counts.compared),
                  std::to_string(counts.unchanged), causes_text(counts.causes)});
  }
  chapters.write(out);
}

void write_left_out(std::ostream& out, std::size_t rows, std::size_t most_rows) {
  if (rows > most_rows) out << fmt::format("\n… {} more rows\n", rows - most_rows);
}

void write_rows(std::ostream& out, const Comparison& comparison, std::size_t most_rows) {
  const std::size_t count = std::min(comparison.rows.size(), most_rows);
  if (count == 0) return;
  MarkdownTable table({"ptx", "operand", "input", "opt", "cycles", "change", "issue", "static", "SASS", "cause",
                       "window", "code of A", "code of B", "remark"});
  CodeComparison code;
  for (std::size_t i = 0; i < count; ++i) {
    const RowText text = row_text(comparison, comparison.rows[i], code, code_width);
    table.add({in_code(text.ptx), markdown_escaped(text.operand), markdown_escaped(text.input), text.opt, text.cycles,
               text.change, text.issue, text.schedule, text.sass_count, text.cause, text.role, in_code(text.code.a),
               in_code(text.code.b), markdown_escaped(text.remark)});
  }
  out << '\n';
  table.write(out);
  write_left_out(out, comparison.rows.size(), most_rows);
}

void write_matrix(std::ostream& out, const Matrix& matrix, std::size_t most_rows) {
  out << "\n# From which table on\n\nEach against the one before it.\n\n";
  for (std::size_t i = 1; i < matrix.sides.size(); ++i) {
    const std::string causes = causes_text(causes_at(matrix, i));
    out << fmt::format("- {}: {}\n", matrix.sides[i].label, causes.empty() ? "no change" : causes);
  }
  if (matrix.rows.empty()) return;
  std::vector<std::string> heads = {"ptx", "operand", "input", "opt"};
  for (const Side& side : matrix.sides) heads.push_back(side.label);
  heads.emplace_back("changes from");
  MarkdownTable table(heads);
  for (std::size_t i = 0; i < std::min(matrix.rows.size(), most_rows); ++i) {
    const MatrixRow& row = matrix.rows[i];
    const CellRecord& any = row.any();
    std::vector<std::string> fields = {in_code(any.ptx), markdown_escaped(any.operand), markdown_escaped(any.input),
                                       matrix.has_levels() ? fmt::format("O{}", any.level) : ""};
    for (const CellOutline* cell : row.cells) fields.push_back(value_text(matrix.by_schedule, cell));
    fields.push_back(steps_text(matrix, row));
    table.add(std::move(fields));
  }
  out << '\n';
  table.write(out);
  write_left_out(out, matrix.rows.size(), most_rows);
}

}  // namespace

void write_markdown(std::ostream& out, const Group& group, std::size_t most_rows) {
  bool is_first = true;
  for (const Comparison& comparison : group.comparisons) {
    if (!is_first) out << '\n';
    is_first = false;
    write_summary(out, comparison);
    write_rows(out, comparison, most_rows);
  }
  if (group.matrix) write_matrix(out, *group.matrix, most_rows);
}

}  // namespace ptxlat
