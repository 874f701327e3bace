#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "report/compare_rows.h"
#include "report/compare_write.h"
#include "report/page.h"

namespace ptxlat::report {

namespace {

constexpr std::size_t code_width = 100;
constexpr std::size_t most_names = 8;
constexpr std::size_t most_kinds_of_changed_cycles = 60, most_kinds_of_equal_cycles = 12;

// Rows that changed in the same way: the same numbers, the same code before and after.
struct Kind {
  RowText text;
  bool has_changed_number = false;
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
    const auto key =
        fmt::format("{}|{}|{}|{}|{}", text.cycles, fmt::join(text.others, "|"), text.cause, text.code.a, text.code.b);
    const auto [place, is_new] = place_of.emplace(key, kinds.size());
    if (is_new) {
      kinds.push_back({text, has_changed_number(comparison, row), 0, {}, {}});
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
    shown.push_back(fmt::format("`{}`", names[i]));
  }
  const auto rest = names.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), rest == 0 ? "" : fmt::format(" and {} more", rest));
}

// At most `most` kinds, and how many more there are.
void write_kinds(Page& page, const Comparison& comparison, std::vector<const Kind*> kinds, std::size_t most) {
  const auto rest = kinds.size() - std::min(kinds.size(), most);
  kinds.resize(kinds.size() - rest);
  Grid grid{{{"forms"}, {"rows"}, {"levels"}, {"cycles"}}, {}};
  for (Column& column : other_columns(comparison)) grid.columns.push_back(std::move(column));
  for (const char* head : {"cause", "machine code before", "after", "remark"}) grid.columns.push_back({head});
  for (const Kind* kind : kinds) {
    Spans fields = {names_text(kind->forms), std::to_string(kind->rows),
                    fmt::format("{}", fmt::join(kind->levels, " ")), kind->text.cycles};
    fields.insert(fields.end(), kind->text.others.begin(), kind->text.others.end());
    fields.emplace_back(kind->text.cause);
    for (const auto& side : {kind->text.code.a, kind->text.code.b}) fields.push_back(code(side));
    fields.emplace_back(kind->text.remark);
    grid.rows.push_back(std::move(fields));
  }
  page.table(grid);
  if (rest > 0) page.paragraph({fmt::format("… {} more kinds of change", rest)});
}

// Nothing that the windows show explains these: whatever leaves the SM varies, a different witness leads, or the
// windows call a subroutine that changed.
void write_same_code(Page& page, const Comparison& comparison) {
  std::set<std::string> opcodes;
  std::size_t rows = 0;
  double widest = 1;
  for (const auto& row : comparison.rows) {
    if (row.cause != Cause::same_code) continue;
    ++rows;
    const auto& ptx = row.a->record.ptx;
    opcodes.insert(fmt::format("`{}`", ptx.substr(0, ptx.find('.'))));
    if (const auto ratio = headline_of(comparison, row).ratio(); ratio && *ratio > 0)
      widest = std::max(widest, std::max(*ratio, 1 / *ratio));
  }
  if (rows == 0) return;
  page.paragraph({fmt::format("The same code took different cycles in {} rows, by a factor of at most {:.2f}: {}.",
                              rows, widest, fmt::join(opcodes, ", "))});
}

std::set<std::string> forms_with_a_number(const Side& side) {
  std::set<std::string> forms;
  for (const auto& cell : side.table->cells) {
    const auto& columns = cell.record;
    if (columns.verdict == sass::Verdict::proven && (!side.level || columns.level == *side.level))
      forms.insert(columns.ptx);
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

void write_changed_rows(Page& page, const Comparison& comparison) {
  if (comparison.rows.empty()) {
    return page.paragraph({fmt::format("Nothing changed in {} rows.", comparison.unchanged.size())});
  }
  const Summary summary = summarize(comparison);
  page.paragraph(
      {fmt::format("{} rows: {} unchanged, {}. {}: {} fewer, {} more.", summary.total.compared, summary.total.unchanged,
                   causes_text(summary.total.causes),
                   comparison.headline == results::metric::static_cycles ? "Cycles of the schedule" : "Cycles",
                   summary.fewer, summary.more)});
  if (const auto names = forms_of_one_side(comparison.b, comparison.a); !names.empty()) {
    page.paragraph({fmt::format("New: {}.", names_text(names))});
  }
  if (const auto names = forms_of_one_side(comparison.a, comparison.b); !names.empty()) {
    page.paragraph({fmt::format("No longer: {}.", names_text(names))});
  }
  const auto kinds = kinds_of(comparison);
  std::vector<const Kind*> changed_numbers, equal_numbers;
  for (const auto& kind : kinds) (kind.has_changed_number ? changed_numbers : equal_numbers).push_back(&kind);
  if (!changed_numbers.empty()) {
    std::stable_partition(changed_numbers.begin(), changed_numbers.end(),
                          [](const Kind* kind) { return kind->levels.empty() || kind->levels.contains("O3"); });
    page.paragraph({"Faster or slower:"});
    write_kinds(page, comparison, changed_numbers, most_kinds_of_changed_cycles);
  }
  if (!equal_numbers.empty()) {
    std::stable_sort(equal_numbers.begin(), equal_numbers.end(),
                     [](const Kind* left, const Kind* right) { return left->rows > right->rows; });
    page.paragraph({"Different machine code, equal cycles:"});
    write_kinds(page, comparison, equal_numbers, most_kinds_of_equal_cycles);
  }
  write_same_code(page, comparison);
}

void write_step(Page& page, const Comparison& comparison) {
  page.heading(2, {fmt::format("{}, after {}", comparison.b.label, comparison.a.label)});
  write_changed_rows(page, comparison);
  if (comparison.facts) write_facts_section(page, *comparison.facts);
}

}  // namespace

void write_findings(std::ostream& out, const std::vector<Side>& sides) {
  Page page(out, {PageFormat::markdown});
  page.heading(1, {fmt::format("From {} to {}", sides.front().label, sides.back().label)});
  page.paragraph(
      {"What changed from each table to the next, rows that changed alike together; -O3 first, then the largest ratio. "
       "After a\ncolon stands an instruction's stall count. Written by `ptxlat compare --format findings`."});
  Grid tables{{{"table"}, {"target"}, {"GPU"}, {"made"}, {"rows"}, {"with a number"}}, {}};
  for (const auto& side : sides) {
    const auto& cells = side.table->cells;
    const auto proven = std::count_if(cells.begin(), cells.end(),
                                      [](const Cell& cell) { return cell.record.verdict == sass::Verdict::proven; });
    const results::Run& run = side.table->run;
    tables.rows.push_back({side.label, run.target, run.device ? run.device->name : "", run.started_utc.substr(0, 10),
                           std::to_string(cells.size()), std::to_string(proven)});
  }
  page.table(tables);
  for (std::size_t i = 1; i < sides.size(); ++i) write_step(page, compare(sides[i - 1], sides[i]));
}

}  // namespace ptxlat::report
