#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "report/columns.h"
#include "report/compare_rows.h"
#include "report/compare_write.h"
#include "report/markdown_table.h"

namespace ptxlat {

namespace {

constexpr std::size_t code_width = 100;
constexpr std::size_t most_names = 8;
constexpr std::size_t most_kinds_of_other_cycles = 60, most_kinds_of_equal_cycles = 12;

// Rows that changed in the same way: the same numbers, the same code before and after.
struct Kind {
  RowText text;
  bool has_other_number = false;
  std::size_t rows = 0;
  std::vector<std::string> forms;
  std::set<std::string> levels;
};

// In the order of the comparison, most interesting first; what no machine code explains is left out.
std::vector<Kind> kinds_of(const Comparison& comparison) {
  std::vector<Kind> kinds;
  std::map<std::string, std::size_t> place_of;
  CodeComparison code;
  for (const auto& row : comparison.rows) {
    if (row.a == nullptr || row.b == nullptr || row.cause == Cause::other_verdict || row.cause == Cause::same_code)
      continue;
    auto text = row_text(comparison, row, code, code_width);
    const auto key = fmt::format("{}|{}|{}|{}|{}", text.cycles, text.issue, text.cause, text.code.a, text.code.b);
    const auto [place, is_new] = place_of.emplace(key, kinds.size());
    if (is_new) {
      const auto headline = headline_of(comparison, row).change(), issue = issue_of(comparison, row).change();
      kinds.push_back({text, headline.value_or(0) != 0 || issue.value_or(0) != 0, 0, {}, {}});
    }
    auto& kind = kinds[place->second];
    ++kind.rows;
    if (!text.opt.empty()) kind.levels.insert(text.opt);
    if (std::find(kind.forms.begin(), kind.forms.end(), text.ptx) == kind.forms.end()) kind.forms.push_back(text.ptx);
  }
  return kinds;
}

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
    shown.push_back(in_code(names[i]));
  }
  const auto rest = names.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), rest == 0 ? "" : fmt::format(" and {} more", rest));
}

// At most `most` kinds, and how many more there are.
void write_kinds(std::ostream& out, std::vector<const Kind*> kinds, std::size_t most) {
  const auto rest = kinds.size() - std::min(kinds.size(), most);
  kinds.resize(kinds.size() - rest);
  MarkdownTable table(
      {"forms", "rows", "levels", "cycles", "issue", "cause", "machine code before", "after", "remark"});
  for (const Kind* kind : kinds) {
    table.add({names_text(kind->forms), std::to_string(kind->rows), fmt::format("{}", fmt::join(kind->levels, " ")),
               kind->text.cycles, kind->text.issue, kind->text.cause, in_code(kind->text.code.a),
               in_code(kind->text.code.b), markdown_escaped(kind->text.remark)});
  }
  table.write(out);
  if (rest > 0) out << fmt::format("\n… {} more kinds of change\n", rest);
}

// Nothing that the windows show explains these: whatever leaves the SM varies, another witness leads, or a subroutine
// that the windows call is another.
void write_same_code(std::ostream& out, const Comparison& comparison) {
  std::set<std::string> opcodes;
  std::size_t rows = 0;
  double widest = 1;
  for (const auto& row : comparison.rows) {
    if (row.cause != Cause::same_code) continue;
    ++rows;
    const auto& ptx = row.a->columns.ptx;
    opcodes.insert(in_code(ptx.substr(0, ptx.find('.'))));
    if (const auto ratio = headline_of(comparison, row).ratio(); ratio && *ratio > 0)
      widest = std::max(widest, std::max(*ratio, 1 / *ratio));
  }
  if (rows == 0) return;
  out << fmt::format("\nThe same code took other cycles in {} rows, by a factor of at most {:.2f}: {}.\n", rows, widest,
                     fmt::join(opcodes, ", "));
}

std::set<std::string> forms_with_a_number(const Side& side) {
  std::set<std::string> forms;
  for (const auto& cell : side.table->cells) {
    const auto& columns = cell.columns;
    if (columns.verdict == Verdict::proven && (!side.level || columns.level == *side.level)) forms.insert(columns.ptx);
  }
  return forms;
}

// Of the forms of one side, those that the other has no number of, whatever the operand or level.
std::vector<std::string> forms_of_one_side(const Side& side, const Side& other) {
  const auto here = forms_with_a_number(side), there = forms_with_a_number(other);
  std::vector<std::string> names;
  std::set_difference(here.begin(), here.end(), there.begin(), there.end(), std::back_inserter(names));
  return names;
}

void write_step(std::ostream& out, const Comparison& comparison) {
  out << fmt::format("\n## {}, after {}\n\n", comparison.b.label, comparison.a.label);
  if (comparison.rows.empty()) {
    out << fmt::format("Nothing changed in {} rows.\n", comparison.unchanged.size());
    return;
  }
  const Summary summary = summarize(comparison);
  out << fmt::format("{} rows: {} unchanged, {}. {}: {} fewer, {} more.\n", summary.total.compared,
                     summary.total.unchanged, causes_text(summary.total.causes),
                     comparison.by_schedule ? "Cycles of the schedule" : "Cycles", summary.fewer, summary.more);
  if (const auto names = forms_of_one_side(comparison.b, comparison.a); !names.empty()) {
    out << fmt::format("\nNew: {}.\n", names_text(names));
  }
  if (const auto names = forms_of_one_side(comparison.a, comparison.b); !names.empty()) {
    out << fmt::format("\nNo longer: {}.\n", names_text(names));
  }
  const auto kinds = kinds_of(comparison);
  std::vector<const Kind*> other_numbers, equal_numbers;
  for (const auto& kind : kinds) (kind.has_other_number ? other_numbers : equal_numbers).push_back(&kind);
  if (!other_numbers.empty()) {
    std::stable_partition(other_numbers.begin(), other_numbers.end(),
                          [](const Kind* kind) { return kind->levels.empty() || kind->levels.contains("O3"); });
    out << "\nFaster or slower:\n\n";
    write_kinds(out, other_numbers, most_kinds_of_other_cycles);
  }
  if (!equal_numbers.empty()) {
    std::stable_sort(equal_numbers.begin(), equal_numbers.end(),
                     [](const Kind* left, const Kind* right) { return left->rows > right->rows; });
    out << "\nOther machine code, equal cycles:\n\n";
    write_kinds(out, equal_numbers, most_kinds_of_equal_cycles);
  }
  write_same_code(out, comparison);
}

}  // namespace

void write_findings(std::ostream& out, const std::vector<Side>& sides) {
  out << fmt::format("# From {} to {}\n\n", sides.front().label, sides.back().label);
  out << "What changed from each table to the next, rows that changed alike together; -O3 first, then the largest "
         "ratio. Behind a\n"
         "colon stands an instruction's stall count. Written by `ptxlat compare --format findings`.\n\n";
  MarkdownTable tables({"table", "target", "GPU", "made", "rows", "with a number"});
  for (const auto& side : sides) {
    const auto& cells = side.table->cells;
    const auto proven = std::count_if(cells.begin(), cells.end(),
                                      [](const CellOutline& cell) { return cell.columns.verdict == Verdict::proven; });
    const auto& from = side.table->provenance;
    tables.add({side.label, from.target, from.device ? from.device->name : "", from.started_utc.substr(0, 10),
                std::to_string(cells.size()), std::to_string(proven)});
  }
  tables.write(out);
  for (std::size_t i = 1; i < sides.size(); ++i) write_step(out, compare(sides[i - 1], sides[i]));
}

}  // namespace ptxlat
