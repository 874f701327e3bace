// SPDX-License-Identifier: Apache-2.0
#include "site/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/parallel.h"
#include "tables/find_tables.h"
#include "tables/folder.h"

namespace ptxlat::site {

namespace {

// Windows are shared by many rows, and each is hashed once.
class CodeHashes {
 public:
  std::vector<WindowMark> marks_of(const tables::Cell& cell) {
    const bool has_cycles = cell.record.find(results::metric::cycles) != nullptr;
    const auto headline = has_cycles ? results::metric::cycles : results::metric::static_cycles;
    std::vector<std::vector<std::string>> behind(cell.windows.size());
    const auto mark_behind = [&](std::string_view tag, std::string_view name) {
      for (const auto* window : tables::windows_of(cell, tag))
        behind[static_cast<std::size_t>(window - cell.windows.data())].emplace_back(name);
    };
    mark_behind(headline, "headline");
    for (const auto& kind : results::metric_kinds()) {
      if (kind.use.is_compared) mark_behind(kind.tag, kind.tag);
    }
    std::vector<WindowMark> marks;
    for (std::size_t i = 0; i < behind.size(); ++i) {
      const auto& window = cell.windows[i];
      if (!window.code.empty()) marks.push_back({std::string(window.role), std::move(behind[i]), of(window.code)});
    }
    return marks;
  }

 private:
  const compare::CodeHash& of(std::string_view code) {
    const auto [found, is_new] = known_.emplace(code.data(), compare::CodeHash{});
    if (is_new) found->second = compare::hash_of(code);
    return found->second;
  }

  std::unordered_map<const char*, compare::CodeHash> known_;
};

// In a table without forms.csv.gz, each row stands for its own form.
void add_missing_spellings(SiteTable& table) {
  if (!table.spellings.empty()) return;
  std::set<std::pair<std::string, int>> known;
  for (const auto& row : table.rows) {
    for (const int level : row.levels) {
      if (known.emplace(row.record.ptx, level).second)
        table.spellings.push_back({row.record.ptx, level, row.record.ptx, "", ""});
    }
  }
}

std::unique_ptr<SiteTable> read(const std::filesystem::path& folder) {
  using tables::Part;
  auto table = std::make_unique<SiteTable>();
  static_cast<tables::Table&>(*table) = tables::read_table(
      folder, {Part::rows, Part::probes, Part::opcodes, Part::throughputs, Part::contention, Part::pairs});
  CodeHashes hashes;
  for (auto& row : table->rows) {
    // All that the columns say about it.
    if (!table->lines) row.static_is_lower_bound = row.record.note.find("static is a lower bound") != std::string::npos;
    table->marks.push_back(hashes.marks_of(row));
    row.windows = std::vector<tables::CellWindow>();  // there are many rows
  }
  add_missing_spellings(*table);
  table->id = table->run.table.empty() ? folder.filename().string() : table->run.table;
  table->pipes = tables::Pipes(table->opcodes.opcodes);
  // The page's columns are of an SM.
  std::erase_if(table->opcodes.forms, [](const auto& form) { return !form.pattern.empty(); });
  table->throughputs = tables::RowThroughputs(table->opcodes, table->spellings);
  return table;
}

}  // namespace

SiteTables read_tables(const std::vector<std::string>& names, std::vector<std::filesystem::path>* unreadable) {
  std::vector<std::filesystem::path> folders, passed_over;
  for (const auto& name : names) {
    for (auto& folder : tables::find_tables(name, passed_over)) {
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(std::move(folder));
    }
  }
  if (unreadable != nullptr) *unreadable = std::move(passed_over);
  SiteTables tables(folders.size());
  in_parallel(folders.size(), [&](std::size_t i) { tables[i] = read(folders[i]); });
  std::stable_sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) {
    if (is_static(*a) != is_static(*b)) return is_static(*b);
    return tables::natural_less(a->id, b->id);
  });
  for (std::size_t i = 1; i < tables.size(); ++i) {
    if (tables[i]->id != tables[i - 1]->id) continue;
    throw Error(ExitCode::usage,
                fmt::format("{} and {} are both the table {}", tables[i - 1]->folder.string(),
                            tables[i]->folder.string(), tables[i]->id),
                "Name only one of them: links could not tell them apart.");
  }
  return tables;
}

std::string title_of(const SiteTable& table) {
  const auto& run = table.run;
  const auto subject = run.device ? run.device->name : run.target;
  const auto toolchain = run.toolchain.empty() ? table.id : run.toolchain;
  return fmt::format("{}{}{}{}", subject, subject.empty() ? "" : ", ", toolchain, is_static(table) ? ", static" : "");
}

}  // namespace ptxlat::site
