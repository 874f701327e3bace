#include "report/table.h"

#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "report/file.h"
#include "report/gzip.h"
#include "report/table_files.h"
#include "results/json.h"

namespace ptxlat {

namespace {

class JsonlReader {
 public:
  void read_line(std::string_view line) {
    Json record = Json::parse(line);
    if (const auto window = record.find("window"); window != record.end()) {
      shared_[window->get<int>()] = std::move(record.at("sass"));
      return;
    }
    if (const auto windows = record.find("windows"); windows != record.end()) {
      for (Json& window : *windows) {
        if (const auto sass = window.find("sass"); sass != window.end()) *sass = shared_.at(sass->get<int>());
      }
    }
    cells.push_back(cell_from_json(record));
  }

  std::vector<CellRecord> cells;

 private:
  std::unordered_map<int, Json> shared_;
};

// `jsonl`: the rows with their machine code, where they are written.
std::string run_json_of(const Table& table, const std::string& csv, const std::optional<std::string>& jsonl) {
  Json run = to_json(table.provenance);
  run["format"] = table_format;  // of what is written now, whatever was read
  std::map<std::string, int> verdicts;
  for (const CellRecord& cell : table.cells) ++verdicts[to_string(cell.verdict)];
  run["cells"] = table.cells.size();
  run["verdicts"] = verdicts;
  if (jsonl) run["jsonl_crc32"] = checksum_of(*jsonl);
  run["csv_crc32"] = checksum_of(csv);
  return run.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

bool is_static(const Table& table) { return table.provenance.kind == "static"; }

std::optional<double> headline(const Table& table, const CellRecord& cell) {
  return is_static(table) ? cell.static_cycles : cell.cycles;
}

void write_table(const std::filesystem::path& folder, const Table& table, Extent extent) {
  std::ostringstream csv;
  write_csv(csv, table.cells);
  // run.json last: with its checksum it makes the table whole.
  if (extent == Extent::brief) {
    replace_files(folder / table.provenance.table,
                  {{csv_name, csv.str()}, {run_name, run_json_of(table, csv.str(), std::nullopt)}});
    // Of a whole table that was here before.
    std::error_code ignored;
    for (const char* name : {markdown_name, jsonl_name}) {
      std::filesystem::remove(folder / table.provenance.table / name, ignored);
    }
    return;
  }
  std::ostringstream markdown;
  write_markdown(markdown, table);
  const std::string jsonl = jsonl_of(table.cells);
  replace_files(folder / table.provenance.table, {{csv_name, csv.str()},
                                                  {markdown_name, markdown.str()},
                                                  {jsonl_name, gzip(jsonl)},
                                                  {run_name, run_json_of(table, csv.str(), jsonl)}});
}

Table read_table(const std::filesystem::path& folder) {
  Table table;
  if (is_in_csv(folder)) {
    CsvTable read = read_csv_table(folder);
    return {std::move(read.provenance), std::move(read.cells)};
  }
  TableFiles files = read_table_files(folder);
  table.provenance = std::move(files.provenance);
  JsonlReader reader;
  for_each_line(files.lines, folder, [&](std::string_view line) { reader.read_line(line); });
  table.cells = std::move(reader.cells);
  return table;
}

}  // namespace ptxlat
