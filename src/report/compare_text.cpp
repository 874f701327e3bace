#include <fmt/format.h>

#include <algorithm>

#include "report/columns.h"
#include "report/compare_rows.h"
#include "report/compare_write.h"

namespace ptxlat {

namespace {

constexpr std::size_t code_width = 60;

enum class Colour { bold = 1, dim = 2, red = 31, green = 32, yellow = 33, cyan = 36 };

struct Paint {
  bool in_colour;

  std::string operator()(Colour colour, const std::string& text) const {
    if (!in_colour || text.empty()) return text;
    return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(colour), text);
  }
};

Colour colour_of(Cause cause) {
  switch (cause) {
    case Cause::other_sass:
    case Cause::other_stall_counts:
      return Colour::cyan;
    case Cause::same_code:
      return Colour::yellow;
    default:
      return Colour::dim;
  }
}

void write_chapters(std::ostream& out, const Summary& summary) {
  Columns columns({"chapter", "rows", "unchanged", "changed"});
  columns.align_right(1);
  columns.align_right(2);
  for (const auto& [chapter, counts] : summary.chapters) {
    columns.add({chapter.empty() ? "-" : chapter, std::to_string(counts.compared), std::to_string(counts.unchanged),
                 causes_text(counts.causes)});
  }
  out << '\n';
  columns.write(out);
}

void write_summary(std::ostream& out, const Comparison& comparison, const Summary& summary, const Paint& paint) {
  const auto side = [&](const char* name, const Side& which) {
    const bool says_more = which.folder != which.label;
    out << fmt::format("{}: {}{}\n", name, paint(Colour::bold, which.label),
                       says_more ? paint(Colour::dim, "  " + which.folder) : "");
  };
  side("A", comparison.a);
  side("B", comparison.b);
  out << fmt::format("{} rows compared, {} unchanged", summary.total.compared, summary.total.unchanged);
  if (!summary.total.causes.empty()) out << ", " << causes_text(summary.total.causes);
  out << fmt::format("\n{} from A to B: {} fewer, {} more, {} equal; median ratio {:.3g}\n",
                     comparison.by_schedule ? "cycles of the schedule" : "cycles", summary.fewer, summary.more,
                     summary.equal, summary.median_ratio);
  if (!summary.gains.empty()) {
    out << paint(Colour::green, "biggest gains: ") << extremes_text(comparison, summary.gains) << '\n';
  }
  if (!summary.losses.empty()) {
    out << paint(Colour::red, "biggest losses: ") << extremes_text(comparison, summary.losses) << '\n';
  }
  if (summary.chapters.size() > 1 && !comparison.rows.empty()) write_chapters(out, summary);
}

std::string painted_change(const std::string& change, const Paint& paint) {
  if (change.empty() || change == "0") return change;
  return paint(change.front() == '-' ? Colour::green : Colour::red, change);
}

std::string code_text(const RowText& text, const Paint& paint) {
  if (text.role.empty()) return {};
  return fmt::format("    {}  {}  {}  {}", paint(Colour::dim, text.role), text.code.a, paint(Colour::dim, "│"),
                     text.code.b);
}

void write_left_out(std::ostream& out, std::size_t rows, std::size_t most_rows) {
  if (rows > most_rows) out << fmt::format("… {} more rows\n", rows - most_rows);
}

void write_rows(std::ostream& out, const Comparison& comparison, const TextOptions& options, const Paint& paint) {
  Columns columns({"ptx", "operand", "input", "opt", "cycles", "change", "issue", "static", "SASS", "cause", "remark"});
  CodeComparison code;
  const std::size_t count = std::min(comparison.rows.size(), options.most_rows);
  for (std::size_t i = 0; i < count; ++i) {
    const Difference& row = comparison.rows[i];
    const RowText text = row_text(comparison, row, code, code_width);
    columns.add({paint(Colour::bold, text.ptx), text.operand, text.input, text.opt, text.cycles,
                 painted_change(text.change, paint), text.issue, text.schedule, text.sass_count,
                 paint(colour_of(row.cause), text.cause), text.remark},
                code_text(text, paint));
  }
  if (count == 0) return;
  out << '\n';
  columns.write(out);
  write_left_out(out, comparison.rows.size(), options.most_rows);
}

void write_matrix(std::ostream& out, const Matrix& matrix, const TextOptions& options, const Paint& paint) {
  out << '\n' << paint(Colour::bold, "From which table on") << " (each against the one before it)\n";
  for (std::size_t i = 1; i < matrix.sides.size(); ++i) {
    const std::string causes = causes_text(causes_at(matrix, i));
    out << fmt::format("{}: {}\n", matrix.sides[i].label, causes.empty() ? "no change" : causes);
  }
  if (matrix.rows.empty()) return;
  std::vector<std::string> heads = {"ptx", "operand", "input", "opt"};
  for (const Side& side : matrix.sides) heads.push_back(side.label);
  heads.emplace_back("changes from");
  Columns columns(heads);
  for (std::size_t i = 0; i < matrix.sides.size(); ++i) columns.align_right(4 + i);
  for (std::size_t i = 0; i < std::min(matrix.rows.size(), options.most_rows); ++i) {
    const MatrixRow& row = matrix.rows[i];
    const CellRecord& any = row.any();
    std::vector<std::string> fields = {any.ptx, any.operand, any.input,
                                       matrix.has_levels() ? fmt::format("O{}", any.level) : ""};
    for (const CellOutline* cell : row.cells) fields.push_back(value_text(matrix.by_schedule, cell));
    fields.push_back(steps_text(matrix, row));
    columns.add(std::move(fields));
  }
  out << '\n';
  columns.write(out);
  write_left_out(out, matrix.rows.size(), options.most_rows);
}

}  // namespace

void write_text(std::ostream& out, const Group& group, const TextOptions& options) {
  const Paint paint{options.in_colour};
  bool is_first = true;
  for (const Comparison& comparison : group.comparisons) {
    if (!is_first) out << '\n';
    is_first = false;
    write_summary(out, comparison, summarize(comparison), paint);
    write_rows(out, comparison, options, paint);
  }
  if (group.matrix) write_matrix(out, *group.matrix, options, paint);
}

}  // namespace ptxlat
