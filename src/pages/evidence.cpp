// SPDX-License-Identifier: Apache-2.0
#include "pages/evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantile.h"
#include "base/text.h"
#include "sass/cubin.h"
#include "tables/curves.h"
#include "tables/number.h"
#include "tables/page.h"
#include "tables/probe_files.h"

namespace ptxlat::pages {

namespace {

std::string scoreboard(int number) {
  return number == sass::ControlWord::no_scoreboard ? "-" : fmt::format("{}", number);
}

}  // namespace

std::string window_text(const results::WindowRecord& window) {
  auto text = fmt::format("\n    {}{}: {}{}{}\n", window.role, window.operand.empty() ? "" : " of " + window.operand,
                          to_string(window.verdict), window.reason.empty() ? "" : ", ", window.reason);
  const bool branches = std::any_of(window.sass.begin(), window.sass.end(),
                                    [](const auto& i) { return sass::changes_control_flow(i.text); });
  text += fmt::format("      schedule {}{} cycles{}", window.static_is_lower_bound && !branches ? "at least " : "",
                      window.static_cycles, branches ? " along the straight line" : "");
  if (window.cycles)
    text += fmt::format(", measured {} ({:.0f} % of the launches)", *window.cycles, 100 * window.mode_share);
  text += "\n      offset  stall yield write read wait  SASS\n";
  for (const auto& i : window.sass) {
    text += fmt::format("      {:04x}    {:5} {:>5} {:>5} {:>4} {:>4}  {}\n", i.offset, i.stall_count,
                        i.yields ? "yes" : "-", scoreboard(i.write_scoreboard), scoreboard(i.read_scoreboard),
                        i.wait_mask == 0 ? "-" : fmt::format("{:#x}", i.wait_mask), i.text);
  }
  return printable(text);
}

namespace {

// For each series; the file in series/ has all rows.
constexpr std::size_t most_segments = 60;
// Values that differ by less are one segment of a curve if no fact distinguishes them.
constexpr double alike = 0.05;

const char* meaning(results::FactVerdict verdict) {
  switch (verdict) {
    case results::FactVerdict::inferred:
      return "from a model that also predicted measurements it was not made from";
    case results::FactVerdict::measured:
      return "read off directly, without a model";
    case results::FactVerdict::undetermined:
      return "unknown; `how` says why";
    case results::FactVerdict::contradicted:
      return "two ways to find it disagree";
  }
  return "";
}

const char* meaning_of_scope(const std::string& scope) {
  return scope == "kind"   ? ": every card of this kind has it"
         : scope == "card" ? ": a different card of this kind may differ"
                           : "";
}

std::string value_text(const results::Fact& fact) {
  if (fact.value.empty()) return "none";
  return fact.unit.empty() || fact.unit == "text" ? fact.value : fmt::format("{} {}", fact.value, fact.unit);
}

void write_fact(tables::Page& page, const std::filesystem::path& folder, const FoundFact& found) {
  const results::Fact& fact = *found.fact;
  page.heading(1, {{fact.quantity, tables::Colour::bold}, fact.condition.empty() ? "" : " with " + fact.condition});
  std::vector<tables::Spans> lines{{"value    ", {value_text(fact), tables::Colour::bold}}};
  if (fact.low && fact.high) {
    lines.push_back({fmt::format("range    {} to {}, expected in a repetition on the same card",
                                 tables::decimal(fact.low), tables::decimal(fact.high))});
  }
  lines.push_back({fmt::format("scope    {}{}", fact.scope, meaning_of_scope(fact.scope))});
  lines.push_back({fmt::format("verdict  {}: {}", to_string(fact.verdict), meaning(fact.verdict))});
  lines.push_back({"how      ", fact.how});
  const auto log = tables::find_probe_log(folder, found.probe->ptx, fact.condition);
  if (!log.empty()) {
    lines.push_back({fmt::format("log      {} (`ptxlat probe --replay` infers it again)", log.string())});
  }
  page.list(lines);
}

void write_origin(tables::Page& page, const results::Record& probe, const std::vector<results::Run>& runs) {
  std::string text = fmt::format("probe {}: {}, at -O{}", probe.ptx, to_string(probe.verdict), probe.level);
  for (const results::Run& run : runs) {
    if (run.id != probe.run) continue;
    text += fmt::format("; `{}` of {}, {}{}, ptxlat {}", run.command_line, run.started_utc,
                        run.device ? run.device->name + ", " : "", run.toolchain, run.git_commit);
  }
  page.paragraph({text});
  if (!probe.note.empty()) page.paragraph({probe.note});
}

// Neighbouring points that one level predicts, or that none predicts and that are about equal.
struct Segment {
  double from = 0, to = 0;
  const tables::Mark* level = nullptr;
  std::size_t points = 0;
  std::vector<double> values;
};

std::vector<Segment> segments_of(const tables::Curve& curve, const tables::Marks& marks) {
  std::vector<Segment> segments;
  for (const tables::CurvePoint& point : curve.points) {
    const tables::Mark* level = tables::predicting(marks, curve, point);
    bool is_next =
        segments.empty() || segments.back().level != level || point.value.has_value() == segments.back().values.empty();
    if (!is_next && !level && point.value) {
      const double first = segments.back().values.front();
      is_next = std::abs(*point.value - first) > alike * std::abs(first);
    }
    if (is_next) segments.push_back({point.at, point.at, level, 0, {}});
    Segment& segment = segments.back();
    segment.to = point.at;
    ++segment.points;
    if (point.value) segment.values.push_back(*point.value);
  }
  return segments;
}

tables::Spans row_of(const results::Axis& axis, const tables::Curve& curve, const Segment& segment) {
  tables::Spans row{curve.condition, tables::coordinate_text(axis, segment.from),
                    tables::coordinate_text(axis, segment.to), std::to_string(segment.points)};
  if (segment.values.empty()) {
    row.insert(row.end(), {"-", "-", "-"});
  } else {
    const auto [lowest, highest] = std::minmax_element(segment.values.begin(), segment.values.end());
    for (const double value : {*lowest, median_of(segment.values), *highest})
      row.emplace_back(tables::three_digits(value));
  }
  row.emplace_back(segment.level ? segment.level->fact->quantity : "-");
  return row;
}

// "predicts 12 of 31 points", for a level; "12 points up to it with a median of 32, 19 beyond with 280", for an edge.
std::string what_it_says(const tables::Mark& mark, bool is_level, const std::vector<tables::Curve>& curves,
                         const tables::Marks& marks) {
  std::size_t points = 0, predicted = 0;
  std::vector<double> before, beyond;
  for (const tables::Curve& curve : curves) {
    if (!tables::may_hold_together(mark.fact->condition, curve.condition)) continue;
    for (const tables::CurvePoint& point : curve.points) {
      if (!point.value) continue;
      ++points;
      const tables::Mark* level = tables::predicting(marks, curve, point);
      if (level && level->fact == mark.fact) ++predicted;
      (point.at <= mark.value ? before : beyond).push_back(*point.value);
    }
  }
  if (is_level) return fmt::format("predicts {} of {} points", predicted, points);
  const auto side = [](const std::vector<double>& values) {
    return values.empty() ? "" : fmt::format(" with a median of {}", tables::three_digits(median_of(values)));
  };
  return fmt::format("{} points up to it{}, {} beyond{}", before.size(), side(before), beyond.size(), side(beyond));
}

bool is_one_of(const tables::Mark& mark, const std::vector<FoundFact>& facts) {
  return std::any_of(facts.begin(), facts.end(), [&](const FoundFact& found) { return found.fact == mark.fact; });
}

void write_model(tables::Page& page, const results::Series& series, const std::vector<tables::Curve>& curves,
                 const tables::Marks& marks, const std::vector<FoundFact>& facts) {
  const results::Axis& axis = *tables::main_axis(series);
  page.paragraph({{series.name, tables::Colour::bold},
                  fmt::format(": {} against {}", series.unit.empty() ? "values" : series.unit,
                              tables::with_unit(axis.name, axis.unit))});
  std::vector<tables::Spans> lines;
  for (const bool is_level : {true, false}) {
    for (const tables::Mark& mark : is_level ? marks.levels : marks.edges) {
      if (!is_one_of(mark, facts)) continue;
      lines.push_back({fmt::format("{} {}{} {}", mark.fact->quantity, value_text(*mark.fact),
                                   mark.fact->condition.empty() ? "" : " with " + mark.fact->condition,
                                   what_it_says(mark, is_level, curves, marks))});
    }
  }
  if (!lines.empty()) page.list(lines);
}

void write_series(tables::Page& page, const results::Record& probe, const results::Series& series,
                  const std::vector<FoundFact>& facts) {
  const results::Axis* axis = tables::main_axis(series);
  if (!axis) return;
  const tables::Marks marks = tables::marks_of(probe, series);
  auto curves = tables::curves_of(series);
  std::erase_if(curves, [&](const tables::Curve& curve) {
    return std::none_of(facts.begin(), facts.end(), [&](const FoundFact& found) {
      return tables::may_hold_together(found.fact->condition, curve.condition);
    });
  });
  write_model(page, series, curves, marks, facts);
  tables::Grid grid{{{"curve"},
                     {axis->name + " from", true},
                     {"to", true},
                     {"points", true},
                     {"lowest", true},
                     {"median", true},
                     {"highest", true},
                     {"predicted by"}},
                    {}};
  std::size_t left_out = 0;
  for (const tables::Curve& curve : curves) {
    for (const Segment& segment : segments_of(curve, marks)) {
      if (grid.rows.size() == most_segments) {
        ++left_out;
      } else {
        grid.rows.push_back(row_of(*axis, curve, segment));
      }
    }
  }
  page.table(grid);
  if (left_out != 0) page.paragraph({fmt::format("… {} more rows; `series/` has every point", left_out)});
}

}  // namespace

std::vector<FoundFact> find_facts(const std::vector<results::Record>& records, const std::string& quantity,
                                  const std::string& condition) {
  std::vector<FoundFact> found;
  for (const results::Record& record : records) {
    for (const results::Fact& fact : record.facts) {
      if (fact.quantity == quantity && tables::has_condition(fact.condition, condition))
        found.push_back({&record, &fact});
    }
  }
  return found;
}

std::vector<std::string> quantities_of(const std::vector<results::Record>& records) {
  std::vector<std::string> quantities;
  for (const results::Record& record : records) {
    for (const results::Fact& fact : record.facts) {
      if (std::find(quantities.begin(), quantities.end(), fact.quantity) == quantities.end())
        quantities.push_back(fact.quantity);
    }
  }
  return quantities;
}

void write_evidence(std::ostream& out, const std::filesystem::path& folder, const std::vector<FoundFact>& facts,
                    const std::vector<results::Run>& runs) {
  tables::Page page(out, {});
  for (const FoundFact& found : facts) write_fact(page, folder, found);
  const results::Record& probe = *facts.front().probe;
  write_origin(page, probe, runs);
  for (const results::Series& series : probe.series) {
    const bool concerns = std::any_of(facts.begin(), facts.end(), [&](const FoundFact& found) {
      return tables::is_about(*found.fact, series, probe);
    });
    if (concerns) write_series(page, probe, series, facts);
  }
}

std::vector<const results::WindowRecord*> windows_behind(const std::vector<FoundFact>& facts) {
  std::vector<const results::WindowRecord*> all, behind;
  for (const results::WindowRecord& window : facts.front().probe->windows) {
    all.push_back(&window);
    const bool may_be = std::any_of(facts.begin(), facts.end(), [&](const FoundFact& found) {
      return tables::may_hold_together(found.fact->condition, window.role);
    });
    if (may_be) behind.push_back(&window);
  }
  // Points with equal code share a window, which has the name of the first.
  return behind.empty() ? all : behind;
}

}  // namespace ptxlat::pages
