// SPDX-License-Identifier: Apache-2.0
#include "site/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/parallel.h"
#include "tables/find_tables.h"
#include "tables/opcode_files.h"
#include "tables/pair_files.h"
#include "tables/probe_files.h"

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

void read_rows(SiteTable& table, tables::TableFiles files) {
  table.run = std::move(files.run);
  table.runs = std::move(files.runs);
  table.spellings = std::move(files.spellings);
  if (!files.lines) {
    for (auto& row : files.rows) {
      // All that the columns say about it.
      const bool is_bound = row.record.note.find("static is a lower bound") != std::string::npos;
      table.rows.push_back({std::move(row.record), std::move(row.levels), is_bound});
    }
    return;
  }
  table.lines = std::move(*files.lines);
  try {
    table.code = tables::shared_code(table.lines);
  } catch (const std::exception& error) {
    throw tables::damaged(table.folder / tables::jsonl_name, error.what());
  }
  CodeHashes hashes;
  for (auto& cell : tables::rows_in(table.lines, table.folder)) {
    auto marks = hashes.marks_of(cell);
    table.rows.push_back(
        {std::move(cell.record), std::move(cell.levels), cell.static_is_lower_bound, std::move(marks), cell.line});
  }
}

// Of a table without forms.csv.gz: each row stands for its own form.
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
  auto table = std::make_unique<SiteTable>();
  table->folder = folder;
  table->probes = tables::read_probe_files(folder);
  table->probe_runs = tables::read_probe_runs(folder);
  if (tables::has_only_experiments(folder)) {
    table->run = table->probe_runs.empty() ? results::Run{} : table->probe_runs.back();
  } else {
    read_rows(*table, tables::read_table_files(folder));
  }
  add_missing_spellings(*table);
  table->id = table->run.table.empty() ? folder.filename().string() : table->run.table;
  table->numbers = tables::read_opcode_numbers(folder);
  table->pipes = tables::Pipes(table->numbers.opcodes);
  table->throughputs = tables::RowThroughputs(table->numbers, table->spellings);
  table->pairs = tables::read_pairs(folder);
  table->pair_runs = tables::read_pair_runs(folder);
  table->contention = tables::read_rows(folder / tables::contention_name, tables::contention_columns());
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
    if (a->is_static() != b->is_static()) return b->is_static();
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
  return fmt::format("{}{}{}{}", subject, subject.empty() ? "" : ", ", toolchain, table.is_static() ? ", static" : "");
}

}  // namespace ptxlat::site
