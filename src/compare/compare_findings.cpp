// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "compare/compare_write.h"
#include "compare/kinds_of_change.h"
#include "tables/page.h"

namespace ptxlat::compare {

std::string list_text(const std::vector<std::string>& items, std::size_t most) {
  const std::vector<std::string> shown(items.begin(),
                                       items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), most)));
  const auto rest = items.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), rest == 0 ? "" : fmt::format(" and {} more", rest));
}

namespace {

constexpr std::size_t most_names = 8;
constexpr std::size_t most_names_at_top = 4;
constexpr std::size_t most_lines = 10;  // at the top of the page
constexpr std::size_t most_kinds = 12;  // of a step

// A change from one table to the next.
struct StepKinds {
  const Comparison& comparison;
  std::vector<KindOfChange> kinds;
};

// "4 → 8 cycles", or whatever else changed: "issue 14 → 2".
std::string number_text(const Comparison& comparison, const KindOfChange& kind) {
  const auto changed = [](const std::string& text) { return text.find("→") != std::string::npos; };
  if (changed(kind.text.cycles)) return kind.text.cycles + " cycles";
  for (std::size_t i = 0; i < kind.text.others.size(); ++i) {
    if (changed(kind.text.others[i])) return fmt::format("{} {}", comparison.others[i]->tag, kind.text.others[i]);
  }
  return kind.text.cycles;
}

// The subject of a line at the top, which no two lines share: a PTX opcode with its type, a load, store or atomic with
// its state space, a CUDA C function.
std::string subject_of(const KindOfChange& kind) {
  static const std::set<std::string> with_state_space = {"atom", "ld", "red", "st"};
  const auto& name = kind.text.ptx;
  const auto end = name.find_first_of(". (");
  auto opcode = name.substr(0, end);
  if (end == std::string::npos || name[end] != '.') return opcode;
  return with_state_space.contains(opcode) ? name.substr(0, name.find('.', end + 1))
                                           : opcode + name.substr(name.rfind('.'));
}

// "since `LOP3.LUT×2` became `LOP3.LUT`"
std::string reason_text(const KindOfChange& kind) {
  const auto& code = kind.text.code;
  if (!code.a.empty()) return fmt::format(", since `{}` became `{}`", code.a, code.b);
  return kind.same_code.empty() ? "" : fmt::format(", since the assembler schedules `{}` differently", kind.same_code);
}

// What a reader would tell a colleague: the changes with the highest scores over all steps, each with a different
// subject.
void write_what_matters(tables::Page& page, const std::vector<StepKinds>& steps) {
  if (std::all_of(steps.begin(), steps.end(),
                  [](const StepKinds& step) { return are_different_gpus(step.comparison); })) {
    std::vector<std::string> lines;
    for (const auto& step : steps) lines.push_back(places_summary(step.comparison));
    return page.paragraph({fmt::format("{}", fmt::join(lines, "\n"))});
  }
  std::vector<std::pair<const StepKinds*, const KindOfChange*>> all;
  for (const auto& step : steps) {
    for (const auto& kind : step.kinds) {
      if (kind.has_changed_number && kind.score > 0) all.emplace_back(&step, &kind);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& x, const auto& y) { return x.second->score > y.second->score; });
  std::set<std::string> subjects;
  std::string lines;
  for (const auto& [step, kind] : all) {
    if (subjects.size() == most_lines) break;
    if (!subjects.insert(subject_of(*kind)).second) continue;
    const auto level = kind->levels.empty() ? std::string{} : fmt::format(" at -{}", kind->levels.front());
    lines += fmt::format("- {}: **{}**{} with {}{}\n", list_text(kind->forms, most_names_at_top),
                         number_text(step->comparison, *kind), level, step->comparison.b.label, reason_text(*kind));
  }
  if (!lines.empty()) page.paragraph({lines.substr(0, lines.size() - 1)});
}

// The first few kinds, and where the rest can be found.
void write_kinds(tables::Page& page, const StepKinds& step, const std::string& list) {
  tables::Grid grid{{{"forms"}, {"rows"}, {"levels"}, {"cycles"}}, {}};
  for (tables::Heading& column : other_columns(step.comparison)) grid.columns.push_back(std::move(column));
  for (const char* head : {"cause", "machine code before", "after", "remark"}) grid.columns.push_back({head});
  std::size_t rest = 0, equal = 0;
  for (const auto& kind : step.kinds) {
    if (!kind.has_changed_number || grid.rows.size() == most_kinds) {
      ++(kind.has_changed_number ? rest : equal);
      continue;
    }
    tables::Spans fields = {list_text(kind.forms, most_names), std::to_string(kind.rows),
                            fmt::format("{}", fmt::join(kind.levels, " ")), kind.text.cycles};
    fields.insert(fields.end(), kind.text.others.begin(), kind.text.others.end());
    fields.emplace_back(kind.text.cause);
    if (kind.same_code.empty()) {
      for (const auto& side : {kind.text.code.a, kind.text.code.b}) fields.push_back(tables::code(side));
    } else {
      fields.insert(fields.end(), {tables::code(kind.same_code), "the same"});
    }
    fields.emplace_back(kind.text.remark);
    grid.rows.push_back(std::move(fields));
  }
  if (!grid.rows.empty()) page.table(grid);
  if (rest + equal == 0) return;
  page.paragraph(
      {fmt::format("Not shown: {} more kinds of change with different cycles, and {} with different machine code but "
                   "equal cycles; {}.",
                   rest, equal, list)});
}

// Nothing that the windows show explains these: whatever leaves the SM varies, a different witness leads, or the
// windows call a subroutine that changed.
void write_same_code(tables::Page& page, const Comparison& comparison) {
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

// The forms of one side for which the other has no number, at any operand or level.
std::vector<std::string> forms_of_one_side(const Side& side, const Side& other) {
  const auto here = forms_with_a_number(side), there = forms_with_a_number(other);
  std::vector<std::string> names;
  std::set_difference(here.begin(), here.end(), there.begin(), there.end(), std::back_inserter(names));
  for (auto& name : names) name = fmt::format("`{}`", name);
  return names;
}

void write_changed_rows(tables::Page& page, const StepKinds& step, const std::string& list) {
  const auto& comparison = step.comparison;
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
    page.paragraph({fmt::format("New: {}.", list_text(names, most_names))});
  }
  if (const auto names = forms_of_one_side(comparison.a, comparison.b); !names.empty()) {
    page.paragraph({fmt::format("No longer: {}.", list_text(names, most_names))});
  }
  if (are_different_gpus(comparison)) return write_places(page, comparison);
  write_kinds(page, step, list);
  write_same_code(page, comparison);
}

void write_step(tables::Page& page, const StepKinds& step, const std::string& list) {
  const auto& comparison = step.comparison;
  page.heading(2, {fmt::format("{}, after {}", comparison.b.label, comparison.a.label)});
  write_changed_rows(page, step, list);
  if (comparison.facts) write_facts_section(page, *comparison.facts);
  if (comparison.opcodes) write_opcodes_section(page, *comparison.opcodes);
}

void write_tables(tables::Page& page, const std::vector<Side>& sides) {
  tables::Grid tables{{{"table"}, {"target"}, {"GPU"}, {"made"}, {"rows"}, {"with a number"}}, {}};
  for (const auto& side : sides) {
    const auto& cells = side.table->cells;
    const auto proven = std::count_if(cells.begin(), cells.end(), [](const tables::Cell& cell) {
      return cell.record.verdict == sass::Verdict::proven;
    });
    const results::Run& run = side.table->run;
    tables.rows.push_back({side.label, run.target, run.device ? run.device->name : "", run.started_utc.substr(0, 10),
                           std::to_string(cells.size()), std::to_string(proven)});
  }
  page.table(tables);
}

}  // namespace

void write_findings(std::ostream& out, const std::vector<Side>& sides, const Group& group, const std::string& list) {
  tables::Page page(out, {tables::PageFormat::markdown});
  std::vector<StepKinds> steps;
  for (const auto& comparison : group.comparisons) steps.push_back({comparison, kinds_of_change(comparison)});
  page.heading(1, {fmt::format("From {} to {}", sides.front().label, sides.back().label)});
  write_what_matters(page, steps);
  page.paragraph({std::all_of(group.comparisons.begin(), group.comparisons.end(), are_different_gpus)
                      ? "The largest differences come first. Written by `ptxlat compare --format findings`."
                      : "Common instructions and large changes come first; a class of input values is in parentheses. "
                        "A number after a colon\nis an instruction's stall count. Written by `ptxlat compare --format "
                        "findings`."});
  write_tables(page, sides);
  const auto all =
      list.empty() ? "`ptxlat compare --format csv` lists all rows" : fmt::format("[the csv]({}) has all rows", list);
  for (const auto& step : steps) write_step(page, step, all);
}

}  // namespace ptxlat::compare
