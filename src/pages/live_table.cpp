// SPDX-License-Identifier: Apache-2.0
#include "pages/live_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "tables/operands.h"

namespace ptxlat::pages {

namespace {

// Enough for nearly every row; a wider field shifts the rest of its row.
constexpr std::size_t most_name_width = 40;
const std::map<std::string, std::size_t> usual_widths = {{"operand", 7}, {"input", 16}};
constexpr std::size_t number_width = 6, sass_width = 48;

std::vector<std::size_t> estimated_widths(const tables::RowLayout& layout, const std::vector<tables::Heading>& columns,
                                          const std::vector<std::string>& names) {
  std::vector<std::size_t> widths;
  for (const tables::Heading& column : columns) {
    const auto usual = usual_widths.find(column.head);
    const std::size_t content = column.is_number ? number_width : usual == usual_widths.end() ? 0 : usual->second;
    widths.push_back(std::max(column.head.size(), content));
  }
  for (const std::string& name : names) widths[0] = std::max(widths[0], std::min(name.size(), most_name_width));
  widths[3 + layout.levels.size() + layout.shown.size()] = sass_width;
  return widths;
}

}  // namespace

LiveTable::LiveTable(std::ostream& out, std::string_view headline, std::vector<int> levels, PlannedCells planned,
                     const std::vector<std::string>& names)
    : out_(out), layout_{tables::PageFormat::text, headline, std::move(levels), {}}, planned_(std::move(planned)) {
  std::sort(layout_.levels.begin(), layout_.levels.end());
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.use.is_shown) layout_.shown.push_back(&kind);
  }
  columns_ = tables::columns_of(layout_);
  widths_ = estimated_widths(layout_, columns_, names);
}

void LiveTable::add(const std::vector<results::Record>& records) {
  for (const results::Record& record : records) {
    ++counts_[record.verdict];
    auto& cells = waiting_[record.chapter];
    cells.push_back({tables::cell_from(record), tables::experiment_of(record)});
    const auto planned = planned_.find(record.chapter);
    if (planned == planned_.end() || cells.size() < planned->second) continue;
    print(record.chapter, cells);
    waiting_.erase(record.chapter);
  }
  out_.flush();
}

void LiveTable::finish() {
  for (auto& [chapter, cells] : waiting_) print(chapter, cells);
  waiting_.clear();
  print_heads();
  out_ << '\n' << tables::verdict_summary(counts_) << ". " << tables::number_legend(layout_) << '\n';
  out_.flush();
}

void LiveTable::print_heads() {
  if (!std::exchange(has_heads_, true)) out_ << tables::aligned_heads(columns_, widths_);
}

void LiveTable::print(const std::string& chapter, std::vector<Finished>& finished) {
  const auto place = [](const Finished& one) {
    const results::Record& record = one.cell.record;
    return std::tie(record.ptx, record.operand, record.input, record.level);
  };
  std::sort(finished.begin(), finished.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::vector<tables::Cell> cells;
  std::map<std::array<std::uint64_t, 2>, std::size_t> known;
  for (Finished& one : finished) {
    const std::string& operand = one.cell.record.operand;
    const auto [row, is_new] = known.emplace(one.experiment, cells.size());
    if (is_new || operand.empty()) {
      cells.push_back(std::move(one.cell));
    } else {
      cells[row->second].record.operand += ' ' + operand;
    }
  }
  std::vector<tables::Cell> apart;
  for (tables::Cell& cell : cells) {
    for (results::Record& record : tables::humps_apart(cell.record)) {
      apart.push_back(cell);
      apart.back().record = std::move(record);
      apart.back().row = apart.size();
    }
  }
  print_heads();
  out_ << '\n' << printable(chapter) << '\n';
  for (const tables::Row& row : tables::rows_of(apart))
    out_ << tables::aligned_row(columns_, widths_, tables::fields_of(layout_, row));
}

}  // namespace ptxlat::pages
