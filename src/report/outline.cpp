#include "report/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "report/json_scanner.h"
#include "report/table_files.h"

namespace ptxlat {

namespace {

// Those that numbers are made of (report/window.h).
constexpr std::array<std::string_view, 8> compared_roles = {
    "bracket", "differential", "differential base", "chain", "chain twice", "bridge", "stream", "stream twice"};

std::string_view compared_role(std::string_view role) {
  const auto found = std::find(compared_roles.begin(), compared_roles.end(), role);
  return found == compared_roles.end() ? std::string_view() : *found;
}

Verdict verdict_named(const std::string& name) {
  const std::optional<Verdict> verdict = verdict_from(name);
  if (!verdict) throw std::invalid_argument("unknown verdict \"" + name + "\"");
  return *verdict;
}

int level_named(int level) {
  if (level < 0 || level > highest_level) throw std::invalid_argument(fmt::format("no such level: {}", level));
  return level;
}

class OutlineReader {
 public:
  std::vector<CellOutline> cells;

  void read_line(std::string_view line) {
    JsonScanner json(line);
    if (line.starts_with("{\"window\":")) {
      read_shared(json);
    } else {
      read_cell(json);
    }
    json.end();
  }

 private:
  void read_shared(JsonScanner& json) {
    int number = -1;
    std::string_view code;
    json.object([&](std::string_view key) {
      if (key == "window") {
        number = json.integer();
      } else if (key == "sass") {
        code = json.raw();
      } else {
        json.raw();
      }
    });
    if (code.empty()) throw std::invalid_argument("a window without \"sass\"");
    shared_[number] = code;
  }

  void read_cell(JsonScanner& json) {
    CellOutline cell;
    bool has_ptx = false, has_level = false, has_verdict = false;
    json.object([&](std::string_view key) {
      CellRecord& columns = cell.columns;
      if (key == "ptx") {
        columns.ptx = json.string();
        has_ptx = true;
      } else if (key == "opt") {
        columns.level = level_named(json.integer());
        has_level = true;
      } else if (key == "verdict") {
        columns.verdict = verdict_named(json.string());
        has_verdict = true;
      } else if (key == "windows") {
        json.array([&] { read_window(json, cell); });
      } else if (key == "sass") {
        json.array([&] { columns.sass.push_back(json.string()); });
      } else if (key == "sass_count") {
        columns.sass_count = json.integer();
      } else if (std::string* text = text_at(columns, key)) {
        *text = json.string();
      } else if (std::optional<double>* number = number_at(columns, key)) {
        *number = json.number_or_null();
      } else {
        json.raw();
      }
    });
    if (!has_ptx || !has_level || !has_verdict) throw std::invalid_argument("a cell without ptx, opt or verdict");
    cells.push_back(std::move(cell));
  }

  static std::string* text_at(CellRecord& columns, std::string_view key) {
    if (key == "chapter") return &columns.chapter;
    if (key == "operand") return &columns.operand;
    if (key == "input") return &columns.input;
    return key == "note" ? &columns.note : nullptr;
  }

  static std::optional<double>* number_at(CellRecord& columns, std::string_view key) {
    if (key == "cycles") return &columns.cycles;
    if (key == "issue") return &columns.issue;
    if (key == "bracket") return &columns.bracket;
    if (key == "overhead") return &columns.overhead;
    if (key == "differential") return &columns.differential;
    if (key == "chain") return &columns.chain;
    return key == "static" ? &columns.static_cycles : nullptr;
  }

  void read_window(JsonScanner& json, CellOutline& cell) {
    WindowOutline window;
    bool is_compared = false;
    json.object([&](std::string_view key) {
      if (key == "role") {
        window.role = compared_role(json.string());
        is_compared = !window.role.empty();
      } else if (is_compared && key == "verdict") {
        window.verdict = verdict_named(json.string());
      } else if (is_compared && key == "static_is_lower_bound") {
        window.static_is_lower_bound = json.boolean();
      } else if (is_compared && key == "sass") {
        window.code = shared_.at(json.integer());
      } else {
        json.raw();
      }
    });
    if (is_compared) cell.windows.push_back(window);
  }

  std::unordered_map<int, std::string_view> shared_;
};

void require_distinct(const std::vector<CellOutline>& cells, const std::filesystem::path& file) {
  std::unordered_set<RowKey, RowKeyHash> known;
  known.reserve(cells.size());
  for (const CellOutline& cell : cells) {
    if (known.insert(row_key(cell.columns)).second) continue;
    const auto& [ptx, operand, input, level] = row_key(cell.columns);
    throw damaged(file,
                  fmt::format("{} (operand \"{}\", input \"{}\") at O{} is there twice", ptx, operand, input, level));
  }
}

Outline outline_from(Provenance provenance, std::string lines, const std::filesystem::path& folder) {
  Outline outline;
  outline.provenance = std::move(provenance);
  outline.lines = std::make_shared<const std::string>(std::move(lines));
  OutlineReader reader;
  for_each_line(*outline.lines, folder, [&](std::string_view line) { reader.read_line(line); });
  outline.cells = std::move(reader.cells);
  return outline;
}

}  // namespace

Outline read_outline(const std::filesystem::path& folder) {
  if (is_in_csv(folder)) {
    CsvTable table = read_csv_table(folder);
    Outline outline;
    outline.provenance = std::move(table.provenance);
    for (CellRecord& cell : table.cells) outline.cells.push_back({std::move(cell), {}});
    require_distinct(outline.cells, folder / csv_name);
    return outline;
  }
  TableFiles files = read_table_files(folder);
  Outline outline = outline_from(std::move(files.provenance), std::move(files.lines), folder);
  require_distinct(outline.cells, folder / jsonl_name);
  return outline;
}

Outline outline_of(const Table& table) { return outline_from(table.provenance, jsonl_of(table.cells), {}); }

RowKey row_key(const CellRecord& cell) { return {cell.ptx, cell.operand, cell.input, cell.level}; }

std::size_t RowKeyHash::operator()(const RowKey& key) const {
  const std::hash<std::string_view> hash;
  std::size_t value = static_cast<std::size_t>(key.level);
  for (const std::string_view part : {key.ptx, key.operand, key.input}) value = value * 1000003 ^ hash(part);
  return value;
}

bool is_static(const Outline& table) { return table.provenance.kind == "static"; }

bool has_issue(const Outline& table) {
  return std::any_of(table.cells.begin(), table.cells.end(),
                     [](const CellOutline& cell) { return cell.columns.issue.has_value(); });
}

const WindowOutline* window_of_role(const CellOutline& cell, std::string_view role) {
  const auto found = std::find_if(cell.windows.begin(), cell.windows.end(),
                                  [&](const WindowOutline& window) { return window.role == role; });
  return found == cell.windows.end() ? nullptr : &*found;
}

}  // namespace ptxlat
