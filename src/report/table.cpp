#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "report/gzip.h"
#include "report/humps.h"
#include "report/operands.h"
#include "report/probe_files.h"
#include "report/table_files.h"
#include "report/table_lines.h"
#include "results/json.h"

namespace ptxlat::report {

namespace {

std::string run_json_of(const Table& table, const std::string& csv, Extent extent) {
  results::Json run = results::to_json(table.run);
  run["format"] = results::table_format;  // also of what was read from older files
  if (!table.runs.empty()) run["runs"] = results::runs_to_json(table.runs);
  std::map<std::string, int> verdicts;
  for (const Cell& cell : table.cells) ++verdicts[to_string(cell.record.verdict)];
  run["cells"] = table.cells.size();
  run["verdicts"] = verdicts;
  if (extent == Extent::whole) run["jsonl_crc32"] = checksum_of(*table.lines);
  run["csv_crc32"] = checksum_of(csv);
  return run.dump(2, ' ', false, results::Json::error_handler_t::replace) + '\n';
}

void require_distinct(const std::vector<Cell>& cells, const std::filesystem::path& file) {
  std::unordered_map<RowKey, const Cell*, RowKeyHash> known;
  known.reserve(cells.size());
  for (const Cell& cell : cells) {
    RowKey key = row_key(cell.record);
    for (const std::string_view operand : operands_of(cell.record.operand)) {
      key.operand = operand;
      if (known.emplace(key, &cell).first->second == &cell) continue;
      throw damaged(file, fmt::format("{} (operand \"{}\", input \"{}\") at O{} is there twice", key.ptx, operand,
                                      key.input, key.level));
    }
  }
}

void set_lines(Table& table, std::string lines, const std::filesystem::path& folder) {
  table.lines = std::make_shared<const std::string>(std::move(lines));
  table.cells = cells_in(*table.lines, folder);
}

}  // namespace

Table table_from(results::Run run, std::vector<results::Run> runs, const std::vector<results::Record>& records) {
  Table table;
  table.run = std::move(run);
  table.runs = std::move(runs);
  set_lines(table, lines_of(with_humps_apart(with_merged_operands(records))), {});
  return table;
}

Cell cell_from(const results::Record& record) {
  Cell cell;
  cell.record = record;
  cell.record.windows.clear();
  if (const results::Metric* schedule = record.find(results::metric::static_cycles)) {
    cell.static_is_lower_bound =
        std::any_of(schedule->from.begin(), schedule->from.end(), [&](const std::string& role) {
          const results::WindowRecord* window = window_of_role(record, role);
          return window != nullptr && window->static_is_lower_bound;
        });
  }
  return cell;
}

std::vector<results::Record> whole_records(const Table& table, const std::vector<const Cell*>& cells) {
  std::vector<results::Record> records;
  const SharedCode shared = table.lines ? shared_code(*table.lines) : SharedCode();
  for (const Cell* cell : cells) {
    records.push_back(cell->line.empty() ? cell->record : whole_record(cell->line, shared));
  }
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

void write_table(const std::filesystem::path& folder, const Table& table, Extent extent) {
  if (!table.lines) extent = Extent::brief;
  std::ostringstream csv;
  write_csv(csv, table);
  // run.json last: with its checksum it makes the table whole.
  const NamedContent csv_file{csv_name, csv.str()}, run_file{run_name, run_json_of(table, csv.str(), extent)};
  if (extent == Extent::whole) {
    std::ostringstream markdown;
    write_markdown(markdown, table);
    return replace_files(folder / table.run.table,
                         {csv_file, {markdown_name, markdown.str()}, {jsonl_name, gzip(*table.lines)}, run_file});
  }
  replace_files(folder / table.run.table, {csv_file, run_file});
  // Of a whole table that was here before.
  std::error_code ignored;
  for (const char* name : {markdown_name, jsonl_name}) {
    std::filesystem::remove(folder / table.run.table / name, ignored);
  }
}

Table read_table(const std::filesystem::path& folder) {
  Table table;
  if (has_only_probes(folder)) {
    table.run.table = folder.filename().string();
    table.run.kind = "measured";
    if (auto runs = read_probe_runs(folder); !runs.empty()) table.run = std::move(runs.back());
    return table;
  }
  TableFiles files = read_table_files(folder);
  table.run = std::move(files.run);
  table.runs = std::move(files.runs);
  if (files.lines) {
    set_lines(table, std::move(*files.lines), folder);
  } else {
    for (results::Record& record : files.records) table.cells.emplace_back().record = std::move(record);
  }
  require_distinct(table.cells, folder / (table.lines ? jsonl_name : csv_name));
  return table;
}

}  // namespace ptxlat::report
