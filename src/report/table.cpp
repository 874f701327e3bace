#include "report/table.h"

#include <fmt/format.h>
#include <zlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

#include "error.h"
#include "report/file.h"
#include "report/gzip.h"
#include "results/json.h"

namespace ptxlat {

namespace {

constexpr const char* csv_name = "latency.csv";
constexpr const char* markdown_name = "latency.md";
constexpr const char* jsonl_name = "latency.jsonl.gz";
constexpr const char* run_name = "run.json";

std::string checksum(const std::string& text) {
  return fmt::format("{:08x}", crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

// A line a cell. A window's code that several cells share (overheads, bases, levels that give the same code) is
// written once, as a line {"window": N, "sass": [...]} before the first cell that says "sass": N.
std::string jsonl_of(const std::vector<CellRecord>& cells) {
  std::string lines;
  std::unordered_map<std::string, int> known;
  for (const CellRecord& cell : cells) {
    Json record = to_json(cell);
    if (const auto windows = record.find("windows"); windows != record.end()) {
      for (Json& window : *windows) {
        const auto sass = window.find("sass");
        if (sass == window.end()) continue;
        const auto [entry, is_new] = known.emplace(to_line(*sass), static_cast<int>(known.size()));
        if (is_new) lines += fmt::format("{{\"window\":{},\"sass\":{}}}\n", entry->second, entry->first);
        *sass = entry->second;
      }
    }
    lines += to_line(record) + '\n';
  }
  return lines;
}

class JsonlReader {
 public:
  void read_line(const std::string& line) {
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

std::string run_json_of(const Table& table, const std::string& jsonl) {
  Json run = to_json(table.provenance);
  run["format"] = table_format;  // of what is written now, whatever was read
  std::map<std::string, int> verdicts;
  for (const CellRecord& cell : table.cells) ++verdicts[to_string(cell.verdict)];
  run["cells"] = table.cells.size();
  run["verdicts"] = verdicts;
  run["jsonl_crc32"] = checksum(jsonl);
  return run.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Error damaged(const std::filesystem::path& file, const std::string& what) {
  return Error(ExitCode::storage, fmt::format("{}: {}", file.string(), what), "Export the table again from its store.");
}

Json read_run(const std::filesystem::path& file) {
  Json run;
  try {
    run = Json::parse(read_file(file));
    if (const int format = run.at("format").get<int>(); format != table_format) {
      throw Error(ExitCode::storage,
                  fmt::format("{}: format {}, this ptxlat reads format {}", file.string(), format, table_format),
                  "Use the ptxlat that wrote it, or export the table again.");
    }
  } catch (const Json::exception& error) {
    throw damaged(file, error.what());
  }
  return run;
}

std::vector<CellRecord> read_jsonl(const std::filesystem::path& file, const Json& run) {
  std::string text;
  try {
    text = gunzip(read_file(file));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw damaged(file, error.what());
  }
  // Also what a reader sees between two renames of a table that is being replaced.
  if (run.value("jsonl_crc32", std::string()) != checksum(text)) {
    throw damaged(file, "does not belong to the run.json beside it");
  }
  JsonlReader reader;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      reader.read_line(line);
    } catch (const std::exception& error) {
      throw damaged(file, fmt::format("line {}: {}", number, error.what()));
    }
  }
  return std::move(reader.cells);
}

Table read_csv_alone(const std::filesystem::path& file) {
  std::istringstream text(read_file(file));
  Table table;
  table.provenance.table = file.parent_path().filename().string();
  table.cells = read_csv(text, file.string());
  const bool measured = std::any_of(table.cells.begin(), table.cells.end(),
                                    [](const CellRecord& cell) { return cell.cycles || cell.bracket; });
  table.provenance.kind = measured ? "measured" : "static";
  return table;
}

}  // namespace

bool is_static(const Table& table) { return table.provenance.kind == "static"; }

std::optional<double> headline(const Table& table, const CellRecord& cell) {
  return is_static(table) ? cell.static_cycles : cell.cycles;
}

void write_table(const std::filesystem::path& folder, const Table& table) {
  std::ostringstream csv;
  std::ostringstream markdown;
  write_csv(csv, table.cells);
  write_markdown(markdown, table);
  const std::string jsonl = jsonl_of(table.cells);
  // run.json last: with its checksum it makes the table whole.
  replace_files(folder / table.provenance.table, {{csv_name, csv.str()},
                                                  {markdown_name, markdown.str()},
                                                  {jsonl_name, gzip(jsonl)},
                                                  {run_name, run_json_of(table, jsonl)}});
}

Table read_table(const std::filesystem::path& folder) {
  std::error_code ignored;
  const bool has_run = std::filesystem::exists(folder / run_name, ignored);
  const bool has_csv = std::filesystem::exists(folder / csv_name, ignored);
  if (!has_run && !has_csv) {
    throw Error(ExitCode::unknown_name, fmt::format("{} is not a table", folder.string()),
                fmt::format("Name a folder that has a {} and a {}.", run_name, jsonl_name));
  }
  if (!has_run) return read_csv_alone(folder / csv_name);

  const Json run = read_run(folder / run_name);
  Table table;
  try {
    table.provenance = provenance_from_json(run);
  } catch (const std::exception& error) {
    throw damaged(folder / run_name, error.what());
  }
  table.cells = read_jsonl(folder / jsonl_name, run);
  return table;
}

}  // namespace ptxlat
