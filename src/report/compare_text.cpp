#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "report/code_change.h"
#include "report/columns.h"
#include "report/compare.h"
#include "report/number.h"
#include "report/rows.h"
#include "report/window.h"

namespace ptxlat {

namespace {

constexpr std::size_t sass_width = 40;
constexpr std::size_t remark_width = 100;
constexpr std::size_t extremes = 3;  // largest changes named in the summary, each way

// Its number, or why there is none.
std::string value_text(const Side& side, const CellRecord* cell) {
  if (!cell) return "-";
  const std::string number = number_text(*side.table, *cell);
  return number.empty() ? to_string(cell->verdict) : number;
}

std::string change_text(const Side& a, const Side& b, const Difference& row) {
  const std::optional<Numbers> numbers = numbers_of(a, b, row);
  if (!numbers) return {};
  std::string change = signed_decimal(row.cycles_change);
  if (row.cycles_change == 0 || numbers->a <= 0) return change;
  return fmt::format("{} (×{:.3g})", change, numbers->b / numbers->a);
}

std::string first_line(const std::string& text, std::size_t limit) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() <= limit) return line;
  while (limit > 0 && (static_cast<unsigned char>(line[limit]) & 0xc0) == 0x80) --limit;  // not inside a character
  return line.substr(0, limit) + "…";
}

std::string remark_of(const Side& b, const Difference& row) {
  if (row.cause == Cause::other_verdict) {
    const CellRecord& without_number = headline(*b.table, *row.b) ? *row.a : *row.b;
    return first_line(without_number.note, remark_width);
  }
  return row.a && row.b ? describe_code_change(*row.a, *row.b) : std::string();
}

std::vector<std::string> fields_of(const Side& a, const Side& b, const Difference& row) {
  const CellRecord& any = row.a ? *row.a : *row.b;
  const auto opcodes = [](const CellRecord* cell) { return cell ? brief_opcodes(cell->sass, sass_width) : ""; };
  const auto count = [](const CellRecord* cell) { return cell ? std::to_string(cell->sass_count) : "-"; };
  const auto stalls = [](const CellRecord* cell) {
    const std::string cycles = cell ? decimal(cell->static_cycles) : "";
    return cycles.empty() ? "-" : cycles;
  };
  const bool both = row.a && row.b;
  const CellRecord* present = row.a ? row.a : row.b;
  const bool same_sass = both && row.a->sass == row.b->sass;
  return {any.ptx,
          any.operand,
          any.input,
          a.level || b.level ? "" : fmt::format("O{}", any.level),
          fmt::format("{} → {}", value_text(a, row.a), value_text(b, row.b)),
          change_text(a, b, row),
          both ? fmt::format("{} → {}", count(row.a), count(row.b)) : count(present),
          both ? fmt::format("{} → {}", stalls(row.a), stalls(row.b)) : stalls(present),
          both && !same_sass ? fmt::format("{} → {}", opcodes(row.a), opcodes(row.b)) : opcodes(present),
          remark_of(b, row)};
}

const std::vector<std::string> heads = {"ptx",    "operand", "input",  "opt",     "cycles",
                                        "change", "SASS",    "stalls", "opcodes", "remark"};

const char* explanation(Cause cause) {
  switch (cause) {
    case Cause::other_sass:
      return "The machine code in the window is another one.";
    case Cause::other_stall_counts:
      return "The same opcodes, scheduled otherwise: other stall counts, yields or waits.";
    case Cause::same_code:
      return "The same opcodes and the same schedule, yet other cycles: the hardware, its clocks or noise.";
    case Cause::other_verdict:
      return "Only one side has a number, or neither has, for different reasons.";
    default:
      return "";
  }
}

// What the numbers of all compared rows say together.
struct Totals {
  std::size_t compared = 0;
  std::size_t unchanged = 0;
  std::size_t faster = 0, slower = 0, equal = 0;
  double median_ratio = 1;
};

Totals totals_of(const Side& a, const Side& b, const std::vector<Difference>& differences) {
  Totals totals;
  std::vector<double> ratios;
  std::unordered_set<const CellRecord*> listed;
  for (const Difference& row : differences) {
    if (row.a) listed.insert(row.a);
    if (row.a && row.b) ++totals.compared;
    const std::optional<Numbers> numbers = numbers_of(a, b, row);
    if (!numbers) continue;
    ++(numbers->b < numbers->a ? totals.faster : numbers->b > numbers->a ? totals.slower : totals.equal);
    if (numbers->a > 0) ratios.push_back(numbers->b / numbers->a);
  }
  const std::optional<int> level = a.level ? a.level : b.level;
  for (const CellRecord& cell : a.table->cells) {
    if ((level && cell.level != *level) || listed.contains(&cell)) continue;
    ++totals.unchanged;
    ++totals.compared;
    if (!headline(*a.table, cell)) continue;
    ++totals.equal;
    ratios.push_back(1);
  }
  if (!ratios.empty()) {
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    totals.median_ratio = *middle;
  }
  return totals;
}

// The largest relative changes of one sign over all causes.
std::string extremes_text(const Side& a, const Side& b, const std::vector<Difference>& differences, bool faster) {
  struct Extreme {
    double ratio;
    const Difference* row;
  };
  std::vector<Extreme> found;
  for (const Difference& row : differences) {
    const std::optional<Numbers> numbers = numbers_of(a, b, row);
    if (!numbers || numbers->a <= 0 || numbers->b <= 0 || numbers->a == numbers->b) continue;
    if ((numbers->b < numbers->a) != faster) continue;
    found.push_back({faster ? numbers->a / numbers->b : numbers->b / numbers->a, &row});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Extreme& left, const Extreme& right) { return left.ratio > right.ratio; });
  std::string text;
  for (std::size_t i = 0; i < std::min(extremes, found.size()); ++i) {
    const Difference& row = *found[i].row;
    text += fmt::format("{}{}{} {} → {}", i == 0 ? "" : ", ", row.a->ptx,
                        row.a->input.empty() ? "" : fmt::format(" ({})", row.a->input), value_text(a, row.a),
                        value_text(b, row.b));
  }
  return text;
}

void write_summary(std::ostream& out, const Side& a, const Side& b, const std::vector<Difference>& differences,
                   const char* bullet) {
  const Totals totals = totals_of(a, b, differences);
  std::map<Cause, std::size_t> counts;
  for (const Difference& row : differences) ++counts[row.cause];
  out << fmt::format("{0}A: {1}\n{0}B: {2}\n", bullet, a.label, b.label);
  out << fmt::format("{}{} rows compared, {} unchanged", bullet, totals.compared, totals.unchanged);
  for (const auto& [cause, count] : counts) out << fmt::format(", {} {}", count, to_string(cause));
  out << '\n';
  out << fmt::format("{}cycles from A to B: {} fewer, {} more, {} equal; median ratio {:.3g}\n", bullet, totals.faster,
                     totals.slower, totals.equal, totals.median_ratio);
  for (const bool faster : {true, false}) {
    const std::string text = extremes_text(a, b, differences, faster);
    if (!text.empty()) out << fmt::format("{}{}: {}\n", bullet, faster ? "fastest gains" : "worst losses", text);
  }
}

void write_markdown_rows(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> used(heads.size(), false);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) used[i] = used[i] || !row[i].empty();
  }
  const auto write_line = [&](const auto& field_at) {
    out << '|';
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (used[i]) out << field_at(i) << '|';
    }
    out << '\n';
  };
  write_line([&](std::size_t i) { return fmt::format(" {} ", heads[i]); });
  write_line([](std::size_t) { return "---"; });
  for (const auto& row : rows) {
    write_line([&](std::size_t i) {
      return i == 0 ? fmt::format(" `{}` ", row[i]) : fmt::format(" {} ", markdown_escaped(row[i]));
    });
  }
}

void write_text_rows(std::ostream& out, std::vector<std::vector<std::string>> rows) {
  Columns columns(heads);
  for (auto& row : rows) columns.add(std::move(row));
  columns.write(out);
}

}  // namespace

void write_comparison(std::ostream& out, const Side& a, const Side& b, const std::vector<Difference>& differences,
                      bool markdown) {
  if (markdown) out << fmt::format("# {} against {}\n\n", a.label, b.label);
  write_summary(out, a, b, differences, markdown ? "- " : "");
  for (std::size_t begin = 0; begin < differences.size();) {
    const Cause cause = differences[begin].cause;
    std::vector<std::vector<std::string>> rows;
    for (; begin < differences.size() && differences[begin].cause == cause; ++begin) {
      rows.push_back(fields_of(a, b, differences[begin]));
    }
    std::string title = to_string(cause);
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    out << fmt::format("\n{}{} ({}{})\n", markdown ? "## " : "", title, rows.size(),
                       rows.size() == 1 ? " row" : " rows");
    if (*explanation(cause) != '\0') out << (markdown ? "\n" : "") << explanation(cause) << '\n';
    out << '\n';
    if (markdown) {
      write_markdown_rows(out, rows);
    } else {
      write_text_rows(out, std::move(rows));
    }
  }
}

}  // namespace ptxlat
