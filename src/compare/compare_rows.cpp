// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "tables/number.h"
#include "tables/operands.h"
#include "tables/rows.h"

namespace ptxlat::compare {

namespace {

constexpr std::size_t remark_width = 100;
constexpr std::size_t most_extremes = 5;

std::string arrow(const std::string& a, const std::string& b) {
  return a == b ? a : fmt::format("{} → {}", a.empty() ? "-" : a, b.empty() ? "-" : b);
}

std::string arrow(const Numbers& numbers) { return arrow(tables::decimal(numbers.a), tables::decimal(numbers.b)); }

std::string change_text(const Numbers& numbers) {
  const std::optional<double> change = numbers.change();
  if (!change) return {};
  const std::optional<double> ratio = numbers.ratio();
  if (*change == 0 || !ratio) return tables::signed_decimal(*change);
  return fmt::format("{} (×{:.3g})", tables::signed_decimal(*change), *ratio);
}

std::string first_line(const std::string& text, std::size_t limit) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() <= limit) return line;
  while (limit > 0 && (static_cast<unsigned char>(line[limit]) & 0xc0) == 0x80)
    --limit;  // do not cut inside a character
  return line.substr(0, limit) + "…";
}

// "chain" or "differential": the first role behind the headline.
std::string witness_of(const results::Record& record) {
  const results::Metric* cycles = record.find(results::metric::cycles);
  return cycles == nullptr || cycles->from.empty() ? "" : cycles->from.front();
}

// If one of the two sides has no number, why.
std::string missing_text(const Comparison& comparison, const Difference& row) {
  std::vector<Numbers> compared = {headline_of(comparison, row)};
  for (const results::MetricKind* kind : comparison.others) compared.push_back(numbers_of(row, kind->tag));
  const auto missing = std::find_if(compared.begin(), compared.end(),
                                    [](const Numbers& n) { return n.a.has_value() != n.b.has_value(); });
  const bool is_in_b = missing != compared.end() && missing->b.has_value();
  return first_line((is_in_b ? row.a : row.b)->record.note, remark_width);
}

void describe_code(RowText& text, const Difference& row, CodeComparison& code, std::size_t width) {
  const CodeChange change = row.cause == Cause::other_sass ? CodeChange::opcodes : CodeChange::schedule;
  const WindowPair pair = code.first_changed(change, *row.a, *row.b);
  if (pair.a) {
    text.role = pair.a->role;
    text.code = side_by_side(pair, width);
    if (equal_but_for_waits(pair)) text.remark = "different waits or yields";
  } else if (row.cause == Cause::other_sass) {
    text.role = "SASS";
    text.code = {tables::brief_opcodes(row.a->record.sass, width), tables::brief_opcodes(row.b->record.sass, width)};
  }
}

// "15 → 4" for the row's main number; in parentheses if it is not the headline, as in a cell.
std::string leading_text(const Comparison& comparison, const Difference& row) {
  if (headline_of(comparison, row).a) {
    return arrow(value_text(comparison.headline, row.a), value_text(comparison.headline, row.b));
  }
  const Numbers numbers = leading_of(comparison, row);
  return fmt::format("({}) → ({})", tables::decimal(numbers.a), tables::decimal(numbers.b));
}

}  // namespace

std::string value_text(std::string_view headline, const tables::Cell* cell) {
  if (!cell) return "-";
  const std::string number = tables::number_text(headline, *cell);
  return number.empty() ? to_string(cell->record.verdict) : number;
}

std::vector<tables::Heading> other_columns(const Comparison& comparison) {
  std::vector<tables::Heading> columns;
  for (const results::MetricKind* kind : comparison.others) columns.push_back({std::string(kind->tag)});
  return columns;
}

RowText row_text(const Comparison& comparison, const Difference& row, CodeComparison& code, std::size_t width) {
  const results::Record& any = row.record();
  const auto count = [](const tables::Cell* cell) {
    return cell && cell->record.sass_count > 0 ? std::to_string(cell->record.sass_count) : "";
  };
  RowText text;
  text.ptx = any.ptx;
  text.operand = tables::operand_list(row.operands);
  text.input = any.input;
  text.opt = comparison.has_levels() ? fmt::format("O{}", any.level) : "";
  text.cycles = arrow(value_text(comparison.headline, row.a), value_text(comparison.headline, row.b));
  text.change = change_text(leading_of(comparison, row));
  for (const results::MetricKind* kind : comparison.others) text.others.push_back(arrow(numbers_of(row, kind->tag)));
  text.schedule = comparison.headline == results::metric::static_cycles
                      ? ""
                      : arrow(numbers_of(row, results::metric::static_cycles));
  text.sass_count = arrow(count(row.a), count(row.b));
  text.cause = words(row.cause);
  switch (row.cause) {
    case Cause::other_sass:
    case Cause::other_stall_counts:
      describe_code(text, row, code, width);
      break;
    case Cause::other_verdict:
      text.remark = missing_text(comparison, row);
      break;
    case Cause::other_consumer:
      text.remark = arrow(row.a->record.consumer, row.b->record.consumer);
      break;
    case Cause::same_code:
      text.remark = arrow(witness_of(row.a->record), witness_of(row.b->record));
      if (text.remark.find("→") == std::string::npos) text.remark.clear();
      break;
    default:
      break;
  }
  return text;
}

std::string extremes_text(const Comparison& comparison, const std::vector<const Difference*>& rows) {
  std::set<std::string_view> named;
  std::string text;
  for (const Difference* row : rows) {
    const results::Record& cell = row->record();
    if (named.size() == most_extremes) break;
    if (!named.insert(cell.ptx).second) continue;
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", cell.ptx,
                        cell.input.empty() ? "" : fmt::format(" ({})", cell.input), leading_text(comparison, *row));
  }
  return text;
}

std::string causes_text(const std::vector<std::pair<Cause, std::size_t>>& causes) {
  std::string text;
  for (const auto& [cause, count] : causes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words(cause));
  }
  return text;
}

std::string steps_text(const Matrix& matrix, const MatrixRow& row) {
  std::string text;
  for (const Step& step : row.steps) {
    const char* cause = step.cause == Cause::only_in_a   ? "gone"
                        : step.cause == Cause::only_in_b ? "new"
                                                         : words(step.cause);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", matrix.sides[step.table].label, cause);
  }
  return text;
}

}  // namespace ptxlat::compare
