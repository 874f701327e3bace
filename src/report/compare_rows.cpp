#include "report/compare_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "report/number.h"
#include "report/window.h"

namespace ptxlat {

namespace {

constexpr std::size_t remark_width = 100;
constexpr std::size_t most_extremes = 5;

std::string arrow(const std::string& a, const std::string& b) {
  return a == b ? a : fmt::format("{} → {}", a.empty() ? "-" : a, b.empty() ? "-" : b);
}

std::string arrow(const Numbers& numbers) { return arrow(decimal(numbers.a), decimal(numbers.b)); }

std::string change_text(const Numbers& numbers) {
  const std::optional<double> change = numbers.change();
  if (!change) return {};
  const std::optional<double> ratio = numbers.ratio();
  if (*change == 0 || !ratio) return signed_decimal(*change);
  return fmt::format("{} (×{:.3g})", signed_decimal(*change), *ratio);
}

std::string first_line(const std::string& text, std::size_t limit) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() <= limit) return line;
  while (limit > 0 && (static_cast<unsigned char>(line[limit]) & 0xc0) == 0x80) --limit;  // not inside a character
  return line.substr(0, limit) + "…";
}

const char* witness_of(const CellRecord& cell) {
  if (!cell.cycles) return "";
  if (cell.cycles == cell.chain) return "chain";
  return cell.cycles == cell.differential ? "differential" : "";
}

// Of two sides of which one has no number, why it has none.
std::string missing_text(const Comparison& comparison, const Difference& row) {
  const Numbers headline = headline_of(comparison, row);
  const Numbers& numbers = headline.a.has_value() != headline.b.has_value() ? headline : issue_of(comparison, row);
  if (numbers.a && numbers.b) return {};
  return first_line((numbers.b ? row.a : row.b)->columns.note, remark_width);
}

bool is_lower_bound(const CellOutline& cell) {
  const WindowOutline* chain = window_of_role(cell, "chain");
  const bool chain_is_proven = chain && chain->verdict == Verdict::proven;
  const auto roles = backing_roles(cell.columns, chain_is_proven, window_of_role(cell, "bridge") != nullptr);
  return std::any_of(cell.windows.begin(), cell.windows.end(), [&](const WindowOutline& window) {
    return window.static_is_lower_bound && std::find(roles.begin(), roles.end(), window.role) != roles.end();
  });
}

void describe_code(RowText& text, const Difference& row, CodeComparison& code, std::size_t width) {
  const CodeChange change = row.cause == Cause::other_sass ? CodeChange::opcodes : CodeChange::schedule;
  const WindowPair pair = code.first_changed(change, *row.a, *row.b);
  if (pair.a) {
    text.role = pair.a->role;
    text.code = side_by_side(pair, width);
    if (equal_but_for_waits(pair)) text.remark = "other waits or yields";
  } else if (row.cause == Cause::other_sass) {
    text.role = "SASS";
    text.code = {brief_opcodes(row.a->columns.sass, width), brief_opcodes(row.b->columns.sass, width)};
  }
}

// "15 → 4" of the number that the row is there for; an issue cost in parentheses, as in a cell.
std::string leading_text(const Comparison& comparison, const Difference& row) {
  if (headline_of(comparison, row).a) {
    return arrow(value_text(comparison.by_schedule, row.a), value_text(comparison.by_schedule, row.b));
  }
  const Numbers issue = issue_of(comparison, row);
  return fmt::format("({}) → ({})", decimal(issue.a), decimal(issue.b));
}

}  // namespace

std::string value_text(bool by_schedule, const CellOutline* cell) {
  if (!cell) return "-";
  const CellRecord& columns = cell->columns;
  const std::optional<double> number = by_schedule ? columns.static_cycles : columns.cycles;
  if (number) return (by_schedule && is_lower_bound(*cell) ? "≥" : "") + decimal(number);
  // Nothing can depend on it: the issue cost is its number.
  if (columns.verdict == Verdict::proven && columns.issue) return fmt::format("({})", decimal(columns.issue));
  return to_string(columns.verdict);
}

RowText row_text(const Comparison& comparison, const Difference& row, CodeComparison& code, std::size_t width) {
  const CellRecord& any = row.any();
  const auto count = [](const CellOutline* cell) {
    return cell && cell->columns.sass_count > 0 ? std::to_string(cell->columns.sass_count) : "";
  };
  RowText text;
  text.ptx = any.ptx;
  text.operand = any.operand;
  text.input = any.input;
  text.opt = comparison.has_levels() ? fmt::format("O{}", any.level) : "";
  text.cycles = arrow(value_text(comparison.by_schedule, row.a), value_text(comparison.by_schedule, row.b));
  text.change = change_text(leading_of(comparison, row));
  text.issue = arrow(issue_of(comparison, row));
  text.schedule = comparison.by_schedule ? "" : arrow(static_of(row));
  text.sass_count = arrow(count(row.a), count(row.b));
  text.cause = to_string(row.cause);
  switch (row.cause) {
    case Cause::other_sass:
    case Cause::other_stall_counts:
      describe_code(text, row, code, width);
      break;
    case Cause::other_verdict:
      text.remark = missing_text(comparison, row);
      break;
    case Cause::same_code:
      text.remark = arrow(witness_of(row.a->columns), witness_of(row.b->columns));
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
    const CellRecord& cell = row->any();
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
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(cause));
  }
  return text;
}

std::string steps_text(const Matrix& matrix, const MatrixRow& row) {
  std::string text;
  for (const Step& step : row.steps) {
    const char* cause = step.cause == Cause::only_in_a   ? "gone"
                        : step.cause == Cause::only_in_b ? "new"
                                                         : to_string(step.cause);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", matrix.sides[step.table].label, cause);
  }
  return text;
}

}  // namespace ptxlat
