// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/quantile.h"
#include "base/text.h"
#include "compare/compare_rows.h"
#include "compare/compare_write.h"
#include "tables/operands.h"
#include "tables/page.h"

namespace ptxlat::compare {

namespace {

tables::Colour colour_of(Cause cause) {
  switch (cause) {
    case Cause::other_sass:
    case Cause::other_stall_counts:
      return tables::Colour::cyan;
    case Cause::same_code:
      return tables::Colour::yellow;
    default:
      return tables::Colour::dim;
  }
}

tables::Spans side_line(const char* name, const Side& side) {
  tables::Spans line = {name, {side.label, tables::Colour::bold}};
  if (side.folder != side.label) {
    line.emplace_back("  ");
    line.push_back(tables::code(side.folder, tables::Colour::dim));
  }
  return line;
}

void write_summary(tables::Page& page, const Comparison& comparison) {
  const Summary summary = summarize(comparison);
  page.heading(1, {fmt::format("{} against {}", comparison.b.label, comparison.a.label)});
  const std::string causes = causes_text(summary.total.causes);
  std::vector<tables::Spans> lines = {
      side_line("A: ", comparison.a),
      side_line("B: ", comparison.b),
      {fmt::format("{} rows compared, {} unchanged{}{}", summary.total.compared, summary.total.unchanged,
                   causes.empty() ? "" : ", ", causes)},
      {fmt::format("{} from A to B: {} fewer, {} more, {} equal; median ratio {:.3g}",
                   comparison.headline == results::metric::static_cycles ? "cycles of the schedule" : "cycles",
                   summary.fewer, summary.more, summary.equal, summary.median_ratio)}};
  if (!summary.gains.empty() && !page.is_brief()) {
    lines.push_back({{"biggest gains: ", tables::Colour::green}, extremes_text(comparison, summary.gains)});
  }
  if (!summary.losses.empty() && !page.is_brief()) {
    lines.push_back({{"biggest losses: ", tables::Colour::red}, extremes_text(comparison, summary.losses)});
  }
  page.list(lines);
  if (comparison.rows.empty() || page.is_brief()) return;
  std::vector<tables::Spans> explanations;
  for (const auto& [cause, count] : summary.total.causes) {
    explanations.push_back({{words(cause), colour_of(cause)}, fmt::format(": {}", explanation(cause))});
  }
  page.list(explanations);
  if (summary.chapters.size() == 1) return;
  tables::Grid chapters{{{"chapter"}, {"rows", true}, {"unchanged", true}, {"changed"}}, {}};
  for (const auto& [chapter, counts] : summary.chapters) {
    chapters.rows.push_back({chapter.empty() ? "-" : chapter, std::to_string(counts.compared),
                             std::to_string(counts.unchanged), causes_text(counts.causes)});
  }
  page.table(chapters);
}

tables::Colour colour_of_change(const std::string& change) {
  if (change.empty() || change == "0") return tables::Colour::none;
  return change.front() == '-' ? tables::Colour::green : tables::Colour::red;
}

// Of each row what a screen has room for.
void write_brief_rows(tables::Page& page, const Comparison& comparison, std::size_t count) {
  constexpr std::size_t widest_name = 34;
  tables::Grid grid{{{"ptx"}, {"operand"}, {"opt"}, {"cycles"}, {"change"}, {"cause"}}, {}};
  CodeComparison code_comparison;
  for (std::size_t i = 0; i < count; ++i) {
    const auto text = row_text(comparison, comparison.rows[i], code_comparison, widest_name);
    grid.rows.push_back({tables::code(cut_to(text.ptx, widest_name), tables::Colour::bold),
                         text.operand,
                         text.opt,
                         text.cycles,
                         {text.change, colour_of_change(text.change)},
                         {text.cause, colour_of(comparison.rows[i].cause)}});
  }
  page.table(grid);
}

void write_rows(tables::Page& page, const Comparison& comparison) {
  const std::size_t count = page.shown(comparison.rows.size());
  if (count == 0) return;
  if (page.is_brief()) return write_brief_rows(page, comparison, count);
  tables::Grid grid{{{"ptx"}, {"operand"}, {"input"}, {"opt"}, {"cycles"}, {"change"}}, {}};
  for (tables::Heading& column : other_columns(comparison)) grid.columns.push_back(std::move(column));
  for (const char* head : {"static", "SASS", "cause"}) grid.columns.push_back({head});
  for (const char* head : {"window", "code of A", "code of B"}) grid.columns.push_back({head, false, false, true});
  grid.columns.push_back({"remark"});
  CodeComparison code_comparison;
  for (std::size_t i = 0; i < count; ++i) {
    const Difference& row = comparison.rows[i];
    const RowText text = row_text(comparison, row, code_comparison, page.is_markdown() ? 80 : 60);
    tables::Spans fields = {
        tables::code(text.ptx, tables::Colour::bold), text.operand, text.input, text.opt, text.cycles,
        {text.change, colour_of_change(text.change)}};
    fields.insert(fields.end(), text.others.begin(), text.others.end());
    for (const auto& field : {text.schedule, text.sass_count}) fields.emplace_back(field);
    fields.emplace_back(text.cause, colour_of(row.cause));
    fields.emplace_back(text.role, tables::Colour::dim);
    for (const auto& side : {text.code.a, text.code.b}) fields.push_back(tables::code(side));
    fields.emplace_back(text.remark);
    grid.rows.push_back(std::move(fields));
  }
  page.table(grid);
  page.left_out(comparison.rows.size());
}

void write_matrix(tables::Page& page, const Matrix& matrix) {
  page.heading(1, {{"Changes from table to table", tables::Colour::bold}, " (each compared with the previous one)"});
  std::vector<tables::Spans> steps;
  for (std::size_t i = 1; i < matrix.sides.size(); ++i) {
    const std::string causes = causes_text(causes_at(matrix, i));
    steps.push_back({fmt::format("{}: {}", matrix.sides[i].label, causes.empty() ? "no change" : causes)});
  }
  page.list(steps);
  const std::size_t count = page.shown(matrix.rows.size());
  if (count == 0) return;
  tables::Grid grid{{{"ptx"}, {"operand"}, {"input"}, {"opt"}}, {}};
  for (const Side& side : matrix.sides) grid.columns.push_back({side.label, true});
  grid.columns.push_back({"changes from"});
  for (std::size_t i = 0; i < count; ++i) {
    const MatrixRow& row = matrix.rows[i];
    const results::Record& any = row.record();
    tables::Spans fields = {tables::code(any.ptx), tables::operand_list(row.operands), any.input,
                            matrix.has_levels() ? fmt::format("O{}", any.level) : ""};
    for (const tables::Cell* cell : row.cells) fields.emplace_back(value_text(matrix.headline, cell));
    fields.emplace_back(steps_text(matrix, row));
    grid.rows.push_back(std::move(fields));
  }
  page.table(grid);
  page.left_out(matrix.rows.size());
}

}  // namespace

void write_page(std::ostream& out, const Group& group, const tables::PageStyle& style) {
  tables::Page page(out, style);
  for (const Comparison& comparison : group.comparisons) {
    write_summary(page, comparison);
    write_rows(page, comparison);
    if (comparison.facts) write_facts_section(page, *comparison.facts);
    if (comparison.opcodes) write_opcodes_section(page, *comparison.opcodes);
  }
  if (group.matrix) write_matrix(page, *group.matrix);
}

namespace {

void count(CauseCounts& counts, Cause cause) {
  if (cause != Cause::only_in_a && cause != Cause::only_in_b) ++counts.compared;
  if (cause == Cause::unchanged) {
    ++counts.unchanged;
    return;
  }
  const auto place = std::lower_bound(counts.causes.begin(), counts.causes.end(), cause,
                                      [](const auto& entry, Cause value) { return entry.first < value; });
  if (place != counts.causes.end() && place->first == cause) {
    ++place->second;
  } else {
    counts.causes.insert(place, {cause, 1});
  }
}

// Sorted by the change of the leading number in either direction.
std::vector<const Difference*> extremes(const Comparison& comparison, bool gains) {
  struct Extreme {
    double ratio;
    const Difference* row;
  };
  std::vector<Extreme> found;
  for (const Difference& row : comparison.rows) {
    const std::optional<double> ratio = leading_of(comparison, row).ratio();
    if (ratio && (gains ? *ratio < 1 : *ratio > 1)) found.push_back({gains ? 1 / *ratio : *ratio, &row});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Extreme& left, const Extreme& right) { return left.ratio > right.ratio; });
  std::vector<const Difference*> rows;
  rows.reserve(found.size());
  for (const Extreme& extreme : found) rows.push_back(extreme.row);
  return rows;
}

}  // namespace

Group compare_all(const std::vector<Side>& sides) {
  Group group;
  for (std::size_t i = 1; i < sides.size(); ++i) group.comparisons.push_back(compare_tables(sides.front(), sides[i]));
  if (sides.size() > 2) group.matrix = matrix_of(sides);
  return group;
}

Group compare_steps(const std::vector<Side>& sides) {
  Group group;
  for (std::size_t i = 1; i < sides.size(); ++i) group.comparisons.push_back(compare_tables(sides[i - 1], sides[i]));
  return group;
}

Summary summarize(const Comparison& comparison) {
  Summary summary;
  std::map<std::string, CauseCounts> chapters;
  std::vector<double> ratios;
  for (const Difference& row : comparison.rows) {
    count(summary.total, row.cause);
    count(chapters[row.record().chapter], row.cause);
    const Numbers numbers = headline_of(comparison, row);
    if (!numbers.change()) continue;
    ++(*numbers.b < *numbers.a ? summary.fewer : *numbers.b > *numbers.a ? summary.more : summary.equal);
    if (const std::optional<double> ratio = numbers.ratio()) ratios.push_back(*ratio);
  }
  for (const tables::Cell* cell : comparison.unchanged) {
    count(summary.total, Cause::unchanged);
    count(chapters[cell->record.chapter], Cause::unchanged);
    if (!headline_of(comparison, {cell, cell, Cause::unchanged}).a) continue;
    ++summary.equal;
    ratios.push_back(1);
  }
  summary.chapters.assign(chapters.begin(), chapters.end());
  summary.median_ratio = ratios.empty() ? 1 : median_of(ratios);
  summary.gains = extremes(comparison, true);
  summary.losses = extremes(comparison, false);
  return summary;
}

std::string list_text(const std::vector<std::string>& items, std::size_t most) {
  const std::vector<std::string> shown(items.begin(),
                                       items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), most)));
  const auto rest = items.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), rest == 0 ? "" : fmt::format(" and {} more", rest));
}

}  // namespace ptxlat::compare
