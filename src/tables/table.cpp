// SPDX-License-Identifier: Apache-2.0
#include "tables/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "results/json.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"
#include "tables/rows.h"
#include "tables/table_lines.h"

namespace ptxlat::tables {

namespace {

std::string run_json_of(const Table& table, const std::string& csv, const std::string& forms, TableDetail detail) {
  results::Json run = results::to_json(table.run);
  run["format"] = results::table_format;
  if (!table.runs.empty()) run["runs"] = results::runs_to_json(table.runs);
  std::map<std::string, std::size_t> verdicts;
  for (const auto& [verdict, count] : verdict_counts(table)) verdicts[to_string(verdict)] = count;
  run["cells"] = table.cells.size();
  run["rows"] = std::count_if(table.cells.begin(), table.cells.end(), [](const Cell& cell) { return cell.leads; });
  run["verdicts"] = verdicts;
  if (detail == TableDetail::everything) run["jsonl_crc32"] = checksum_of(*table.lines);
  run["csv_crc32"] = checksum_of(csv);
  run["forms_crc32"] = checksum_of(forms);
  return run.dump(2, ' ', false, results::Json::error_handler_t::replace) + '\n';
}

// Forms share rows, so that a few lines of both can be any number of cells.
class CellAllowance {
 public:
  void take(const Cell& cell) {
    const auto& record = cell.record;
    std::size_t bytes = sizeof cell + cell.windows.size() * sizeof(CellWindow) + record.metrics.size() * 128;
    for (const auto* text : {&record.ptx, &record.chapter, &record.operand, &record.input, &record.note})
      bytes += text->size();
    for (const auto* texts : {&record.sass, &record.flags}) bytes += texts->size() * 64;
    if (bytes > left_) {
      throw Error(ExitCode::storage, "the forms and rows of a table make more cells than fit into memory",
                  "Export the table again from its store.");
    }
    left_ -= bytes;
  }

 private:
  // The largest table takes a fifth.
  std::size_t left_ = std::size_t{3} << 29;
};

}  // namespace

JsonlText lines_of_owner(std::shared_ptr<const void> owner, std::string_view text) {
  struct Owned {
    std::shared_ptr<const void> owner;
    std::string_view text;
  };
  const auto owned = std::make_shared<const Owned>(Owned{std::move(owner), text});
  return {owned, &owned->text};
}

Table table_from(results::Run run, std::vector<results::Run> runs, const RecordSource& records,
                 const TableOutline& outline, Code code, const std::filesystem::path& scratch) {
  Table table;
  table.run = std::move(run);
  table.runs = std::move(runs);
  auto [rows, spellings] = share_rows(outline.rows);
  table.spellings = std::move(spellings);
  table.lines = lines_of(rows, outline.rows, records, code, scratch);
  auto [read, shared] = rows_in(*table.lines, {});
  table.code = std::move(shared);
  table.cells = cells_of(std::move(read), table.spellings);
  return table;
}

Table table_from(results::Run run, std::vector<results::Run> runs, const std::vector<results::Record>& records,
                 Code code) {
  const RecordSource source{records.size(), [&](std::size_t number, Code) { return records[number]; }};
  return table_from(std::move(run), std::move(runs), source, outline_of(source), code,
                    std::filesystem::temp_directory_path());
}

std::vector<Cell> cells_of(std::vector<Cell> rows, const std::vector<Spelling>& spellings) {
  std::map<std::pair<std::string_view, int>, std::vector<std::string_view>> others;
  for (const Spelling& spelling : spellings) {
    if (!spelling.row.empty() && spelling.row != spelling.ptx)
      others[{spelling.row, spelling.level}].push_back(spelling.ptx);
  }
  std::vector<Cell> cells;
  cells.reserve(rows.size());
  CellAllowance allowance;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Cell row = std::move(rows[i]);  // no table is in memory twice
    row.row = i;
    const std::string ptx = row.record.ptx;
    for (auto level = row.levels.rbegin(); level != row.levels.rend(); ++level) {
      allowance.take(row);
      Cell& own = cells.emplace_back(row);
      own.record.level = *level;
      own.leads = level == row.levels.rbegin();
      const auto found = others.find({ptx, *level});
      if (found == others.end()) continue;
      for (const std::string_view other : found->second) {
        allowance.take(row);
        Cell& cell = cells.emplace_back(row);
        cell.record.level = *level;
        cell.record.ptx = other;
        cell.record.is_core = false;
        cell.leads = false;
      }
    }
  }
  for (const Spelling& spelling : spellings) {
    if (!spelling.row.empty()) continue;
    Cell& cell = cells.emplace_back();
    cell.record.ptx = spelling.ptx;
    cell.record.level = spelling.level;
    cell.record.verdict = sass::Verdict::unsupported;
    cell.record.note = spelling.note;
    cell.row = cells.size();
    cell.levels = {spelling.level};
    cell.leads = false;
  }
  return cells;
}

Cell cell_from(const results::Record& record) {
  Cell cell;
  cell.record = record;
  cell.record.windows.clear();
  if (const results::Metric* schedule = record.find(results::metric::static_cycles)) {
    cell.static_is_lower_bound =
        !record.has_flag(results::flag::branches) &&
        std::any_of(schedule->from.begin(), schedule->from.end(), [&](const std::string& role) {
          const results::WindowRecord* window = window_of_role(record, role);
          return window != nullptr && window->static_is_lower_bound;
        });
  }
  return cell;
}

bool is_listed_only(const Cell& cell) { return !cell.leads && cell.record.verdict == sass::Verdict::unsupported; }

std::vector<results::Record> whole_records(const Table& table, const std::vector<const Cell*>& cells) {
  std::vector<results::Record> records(cells.size());
  std::atomic<std::int64_t> code_left = std::int64_t{1} << 30;
  in_parallel(cells.size(), [&](std::size_t i) {
    const Cell& cell = *cells[i];
    records[i] = cell.line.empty() ? cell.record : whole_record(cell.line, table.code, code_left);
    records[i].ptx = cell.record.ptx;
    records[i].level = cell.record.level;
  });
  return records;
}

bool is_static(const Table& table) { return table.run.kind == "static"; }

std::string_view headline(const Table& table) {
  return is_static(table) ? results::metric::static_cycles : results::metric::cycles;
}

bool has_metric(const Table& table, std::string_view tag) {
  return std::any_of(table.cells.begin(), table.cells.end(),
                     [&](const Cell& cell) { return cell.record.find(tag) != nullptr; });
}

const CellWindow* window_of_role(const Cell& cell, std::string_view role) {
  const auto found = std::find_if(cell.windows.begin(), cell.windows.end(),
                                  [&](const CellWindow& window) { return window.role == role; });
  return found == cell.windows.end() ? nullptr : &*found;
}

std::vector<const CellWindow*> windows_of(const Cell& cell, std::string_view tag) {
  std::vector<const CellWindow*> windows;
  const results::Metric* metric = cell.record.find(tag);
  if (metric == nullptr) return windows;
  for (const std::string& role : metric->from) {
    if (const CellWindow* window = window_of_role(cell, role)) windows.push_back(window);
  }
  return windows;
}

RowKey row_key(const results::Record& record) { return {record.ptx, record.operand, record.input, record.level}; }

std::size_t RowKeyHash::operator()(const RowKey& key) const {
  const std::hash<std::string_view> hash;
  std::size_t value = static_cast<std::size_t>(key.level);
  for (const std::string_view part : {key.ptx, key.operand, key.input}) value = value * 1000003 ^ hash(part);
  return value;
}

void require_name_of_table(const std::string& name) {
  const bool is_plain = printable(name) == name && name.find_first_of("\n\t") == std::string::npos;
  if (!is_plain || !is_name_beneath(name))
    throw Error(ExitCode::storage, fmt::format("a table cannot be called \"{}\"", name));
}

void write_table(const std::filesystem::path& folder, const Table& table, TableDetail detail) {
  require_name_of_table(table.run.table);
  if (!table.lines) detail = TableDetail::columns_only;
  std::string csv, forms, packed_forms, markdown, packed_lines;
  const auto text_of = [&](const auto& write) {
    std::ostringstream out;
    write(out);
    return std::move(out).str();
  };
  const std::array<std::function<void()>, 4> parts = {
      [&] { packed_lines = detail == TableDetail::everything ? zstd(*table.lines) : ""; },
      [&] { csv = text_of([&](auto& out) { write_csv(out, table); }); },
      [&] {
        forms = text_of([&](auto& out) { write_rows(out, spelling_columns(), table.spellings); });
        packed_forms = gzip(forms);
      },
      [&] {
        if (detail == TableDetail::everything) markdown = text_of([&](auto& out) { write_markdown(out, table); });
      }};
  in_parallel(parts.size(), [&](std::size_t part) { parts[part](); });
  const auto run_json = run_json_of(table, csv, forms, detail);
  std::vector<NamedContent> files{{csv_name, std::move(csv)}, {forms_name, std::move(packed_forms)}};
  if (detail == TableDetail::everything) {
    files.emplace_back(markdown_name, std::move(markdown));
    files.emplace_back(jsonl_name, std::move(packed_lines));
  }
  // run.json last: with its checksums it completes the table.
  files.emplace_back(run_name, run_json);
  const Folder of_table(folder, table.run.table);
  replace_files(of_table, files);
  // Files of an earlier table that was whole, or compressed.
  for (const char* name : {markdown_name, jsonl_name, packed_csv_name}) {
    const bool is_new = std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.first == name; });
    if (!is_new) remove_file(of_table, name);
  }
}

}  // namespace ptxlat::tables
