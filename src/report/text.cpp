#include <fmt/format.h>

#include <algorithm>

#include "report/columns.h"
#include "report/number.h"
#include "report/rows.h"
#include "report/table.h"
#include "report/window.h"

namespace ptxlat {

namespace {

constexpr std::size_t sass_width = 48;
constexpr std::size_t markdown_sass_width = 80;

// "O0, O1: fused" for the levels that have no proven number.
std::string remark(const Row& row) {
  std::map<Verdict, std::string> levels;
  for (const auto& [level, cell] : row.levels) {
    if (cell->verdict == Verdict::proven) continue;
    std::string& list = levels[cell->verdict];
    list += fmt::format("{}O{}", list.empty() ? "" : ",", level);
  }
  if (levels.size() == 1 && std::count(levels.begin()->second.begin(), levels.begin()->second.end(), 'O') ==
                                static_cast<std::ptrdiff_t>(row.levels.size())) {
    return to_string(levels.begin()->first);
  }
  std::string text;
  for (const auto& [verdict, list] : levels) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", list, to_string(verdict));
  }
  return text;
}

std::vector<std::string> level_names(const std::vector<int>& levels) {
  std::vector<std::string> names;
  for (const int level : levels) names.push_back(fmt::format("O{}", level));
  return names;
}

std::string issue_head(const std::vector<int>& levels) {
  return levels.empty() ? "issue" : fmt::format("issue at O{}", levels.back());
}

// Of the highest level that the table has, like the opcodes.
std::string issue_text(const CellRecord& cell, const std::vector<int>& levels) {
  return cell.level == levels.back() ? decimal(cell.issue) : std::string();
}

std::string title(const Provenance& provenance) {
  const std::string where = provenance.device ? fmt::format("{}, ", provenance.device->name) : "";
  return fmt::format("{}{}, {}", where, provenance.target, provenance.toolchain);
}

void write_provenance(std::ostream& out, const Provenance& provenance) {
  if (provenance.device) {
    const DeviceInfo& device = *provenance.device;
    out << fmt::format("{}: {} SMs, SM clock {} MHz, memory clock {} MHz, driver {}, CUDA {}.{}. ", device.name,
                       device.sm_count, device.sm_clock_khz / 1000, device.memory_clock_khz / 1000,
                       device.driver_version, device.cuda_api_version / 1000, device.cuda_api_version % 1000 / 10);
  }
  out << fmt::format("Toolchain {}, ptxlat {}, {}. `run.json` has the whole provenance.\n", provenance.toolchain,
                     provenance.tool_version, provenance.finished_utc);
}

}  // namespace

void write_text(std::ostream& out, const Table& table) {
  const std::vector<int> levels = levels_of(table);
  std::vector<std::string> heads = {"ptx", "operand", "input"};
  for (const std::string& name : level_names(levels)) heads.push_back(name);
  heads.push_back(issue_head(levels));
  heads.push_back(levels.empty() ? "SASS" : fmt::format("SASS at O{}", levels.back()));
  heads.emplace_back("verdict");
  Columns columns(heads);
  for (std::size_t i = 0; i <= levels.size(); ++i) columns.align_right(3 + i);

  for (const Row& row : rows_of(table)) {
    const CellRecord& cell = row.highest();
    std::vector<std::string> fields = {cell.ptx, cell.operand, cell.input};
    for (const int level : levels) {
      const auto found = row.levels.find(level);
      const std::string number = found == row.levels.end() ? "" : number_text(table, *found->second);
      fields.push_back(number.empty() ? "-" : number);
    }
    fields.push_back(issue_text(cell, levels));
    const bool has_highest = cell.level == levels.back();
    fields.push_back(has_highest ? brief_opcodes(cell.sass, sass_width) : "");
    fields.push_back(remark(row));
    columns.add(std::move(fields));
  }
  columns.write(out);
  out << '\n' << verdict_summary(table) << ". " << number_legend(table) << '\n';
}

void write_markdown(std::ostream& out, const Table& table) {
  const std::vector<int> levels = levels_of(table);
  out << fmt::format("# Instruction latency: {}\n\n", title(table.provenance));
  write_provenance(out, table.provenance);
  out << fmt::format("\n{}. {} A word in place of a number is the verdict: why there is none.\n",
                     verdict_summary(table), number_legend(table));
  if (levels.empty()) return;
  const bool with_issue = has_issue(table);

  std::string chapter;
  bool in_chapter = false;
  for (const Row& row : rows_of(table)) {
    const CellRecord& cell = row.highest();
    if (!in_chapter || cell.chapter != chapter) {
      chapter = cell.chapter;
      in_chapter = true;
      out << fmt::format("\n## {}\n\n| ptx | operand | input |", chapter);
      for (const std::string& name : level_names(levels)) out << fmt::format(" {} |", name);
      if (with_issue) out << fmt::format(" {} |", issue_head(levels));
      out << fmt::format(" SASS at O{} |\n|---|---|---|", levels.back());
      for (std::size_t i = 0; i < levels.size() + with_issue; ++i) out << "--:|";
      out << "---|\n";
    }
    out << fmt::format("| `{}` | {} | {} |", cell.ptx, markdown_escaped(cell.operand), markdown_escaped(cell.input));
    for (const int level : levels) {
      const auto found = row.levels.find(level);
      std::string number = found == row.levels.end() ? "" : number_text(table, *found->second);
      if (number.empty() && found != row.levels.end()) number = to_string(found->second->verdict);
      out << fmt::format(" {} |", number);
    }
    if (with_issue) out << fmt::format(" {} |", issue_text(cell, levels));
    const bool has_highest = cell.level == levels.back();
    out << fmt::format(" {} |\n", has_highest ? markdown_escaped(brief_opcodes(cell.sass, markdown_sass_width)) : "");
  }
}

}  // namespace ptxlat
