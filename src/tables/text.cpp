// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/csv.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"
#include "tables/number.h"
#include "tables/overview.h"
#include "tables/page.h"
#include "tables/rows.h"
#include "tables/table.h"

namespace ptxlat::tables {

namespace {

std::string title(const results::Run& run) {
  const std::string where = run.device ? fmt::format("{}, ", run.device->name) : "";
  return fmt::format("{}{}, {}", where, run.target, run.toolchain);
}

std::string origin(const results::Run& run) {
  std::string text;
  if (run.device) {
    const gpu::DeviceInfo& device = *run.device;
    text = fmt::format("{}: {} SMs, SM clock {} MHz, memory clock {} MHz, driver {}, CUDA {}.{}. ", device.name,
                       device.sm_count, device.sm_clock_khz / 1000, device.memory_clock_khz / 1000,
                       device.driver_version, device.cuda_api_version / 1000, device.cuda_api_version % 1000 / 10);
  }
  return text + fmt::format("Toolchain {}, ptxlat {}, {}. `run.json` has the whole provenance.", run.toolchain,
                            run.tool_version, run.finished_utc);
}

// The most wanted instructions, before anything else.
void write_overview(Page& page, const Table& table, const RowLayout& layout) {
  const auto groups = overview_of(table);
  if (groups.empty()) return;
  Grid grid{columns_of(layout), {}};
  grid.columns.insert(grid.columns.begin(), Heading{""});
  grid.columns.front().is_kept = true;
  for (const OverviewGroup& group : groups) {
    for (const Row& row : group.rows) {
      Spans fields = fields_of(layout, row);
      fields.insert(fields.begin(), &row == &group.rows.front() ? group.name : "");
      grid.rows.push_back(std::move(fields));
    }
  }
  page.heading(2, {"At a glance"});
  page.table(grid);
}

// A table of all forms would be a book: if it has more than the core, only the core is shown.
std::vector<const Cell*> cells_for_reading(const Table& table) {
  std::vector<const Cell*> core, all;
  for (const Cell& cell : table.cells) {
    all.push_back(&cell);
    if (cell.record.is_core) core.push_back(&cell);
  }
  return 2 * core.size() < all.size() && !core.empty() ? core : all;
}

std::array<std::string, 5> fields_of(const RowThroughput& row) {
  return {decimal(row.throughput), row.unit, row.pattern, decimal(row.saturates_at), row.pipe};
}

}  // namespace

void write_text(std::ostream& out, const Table& table) {
  const RowLayout layout = layout_of(table, PageFormat::text);
  Grid grid{columns_of(layout), {}};
  for (const Row& row : rows_of(table.cells)) grid.rows.push_back(fields_of(layout, row));
  Page page(out, {});
  page.table(grid);
  page.paragraph({verdict_summary(verdict_counts(table)) + ". " + number_legend(layout)});
}

void write_forms_text(std::ostream& out, const Table& table, const RowThroughputs& throughputs,
                      const std::vector<std::string>& forms, std::size_t widest_name) {
  std::unordered_map<std::string_view, std::vector<const Cell*>> cells;
  std::unordered_map<std::string_view, const Spelling*> spellings;  // of the highest level
  for (const std::string& form : forms) cells[form];
  for (const Cell& cell : table.cells) {
    if (const auto wanted = cells.find(cell.record.ptx); wanted != cells.end()) wanted->second.push_back(&cell);
  }
  for (const Spelling& spelling : table.spellings) {
    const Spelling*& highest = spellings[spelling.ptx];
    if (highest == nullptr || highest->level < spelling.level) highest = &spelling;
  }
  const RowLayout layout = layout_of(table, PageFormat::text);
  Grid grid{columns_of(layout), {}};
  for (const char* head : {"throughput", "unit", "pattern", "warps", "pipe", "row"})
    grid.columns.push_back({head, head == std::string_view("throughput") || head == std::string_view("warps")});
  for (const std::string& form : forms) {
    const auto spelling = spellings.find(form);
    const std::string row = spelling == spellings.end() ? "" : spelling->second->row;
    const auto rows = rows_of(cells[form]);
    for (const Row& one : rows) {
      Spans& fields = grid.rows.emplace_back(fields_of(layout, one));
      fields.front() = code(cut_to(one.highest().record.ptx, widest_name));
      const auto& highest = one.highest();
      for (const auto& text : fields_of(throughputs.of(form, highest.levels, highest.record.sass)))
        fields.emplace_back(text);
      fields.emplace_back(row == form ? "" : row);
    }
    if (!rows.empty()) continue;
    Spans fields(grid.columns.size(), "");
    fields.front() = code(cut_to(form, widest_name));
    fields[3 + layout.levels.size() + layout.shown.size() + 1] =
        spelling == spellings.end() ? "not in the table" : spelling->second->reason;
    grid.rows.push_back(std::move(fields));
  }
  const auto has_number = [&](const Spans& fields) {
    return std::any_of(fields.begin() + 3, fields.begin() + 3 + static_cast<std::ptrdiff_t>(layout.levels.size()),
                       [](const Span& field) { return field.text.find_first_of("0123456789") != std::string::npos; });
  };
  if (widest_name != whole_name) std::stable_partition(grid.rows.begin(), grid.rows.end(), has_number);
  Page(out, {}).table(grid);
}

void write_forms_csv(std::ostream& out, const Table& table, const RowThroughputs& throughputs,
                     const std::vector<std::string>& forms) {
  const std::unordered_set<std::string_view> wanted(forms.begin(), forms.end());
  auto names = names_of(latency_columns());
  names.insert(names.end(), {"throughput", "unit", "pattern", "saturates_at", "pipe"});
  write_csv_line(out, names);
  for (const Cell& cell : table.cells) {
    if (!wanted.contains(cell.record.ptx)) continue;
    Cell one = cell;
    one.levels = {cell.record.level};
    auto fields = fields_of(latency_columns(), one);
    const auto throughput = fields_of(throughputs.of(cell.record.ptx, cell.levels, cell.record.sass));
    fields.insert(fields.end(), throughput.begin(), throughput.end());
    write_csv_line(out, fields);
  }
}

void write_markdown(std::ostream& out, const Table& table) {
  const RowLayout layout = layout_of(table, PageFormat::markdown);
  Page page(out, {PageFormat::markdown});
  page.heading(1, {"Instruction latency: " + title(table.run)});
  write_overview(page, table, layout);
  page.paragraph({origin(table.run)});
  page.paragraph({fmt::format("{}. {} A word in place of a number is the verdict: why there is none.",
                              verdict_summary(verdict_counts(table)), number_legend(layout))});
  const auto cells = cells_for_reading(table);
  if (cells.size() < table.cells.size()) {
    page.paragraph(
        {fmt::format("The chapters have the forms of the core. `{}` has the numbers of all, and `{}` the row "
                     "of every spelling.",
                     csv_name, forms_name)});
  }
  Grid grid{columns_of(layout), {}};
  const auto rows = rows_of(cells);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& chapter = rows[i].highest().record.chapter;
    grid.rows.push_back(fields_of(layout, rows[i]));
    if (i + 1 < rows.size() && rows[i + 1].highest().record.chapter == chapter) continue;
    page.heading(2, {chapter});
    page.table(grid);
    grid.rows.clear();
  }
}

}  // namespace ptxlat::tables
