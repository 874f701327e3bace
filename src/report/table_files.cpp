#include "report/table_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "parallel.h"
#include "report/file.h"
#include "report/gzip.h"
#include "report/table.h"
#include "results/json.h"

namespace ptxlat {

namespace {

Json read_run(const std::filesystem::path& file) {
  Json run;
  try {
    run = Json::parse(read_file(file));
    if (!run.is_object()) throw damaged(file, "not a JSON object");
    if (const int format = run.at("format").get<int>(); format < 1 || format > table_format) {
      throw Error(ExitCode::storage,
                  fmt::format("{}: format {}, this ptxlat reads formats 1 to {}", file.string(), format, table_format),
                  "Use the ptxlat that wrote it, or export the table again.");
    }
  } catch (const Json::exception& error) {
    throw damaged(file, error.what());
  }
  return run;
}

// A reader also sees files that do not belong together between two renames of a table that is being replaced.
void require_checksum(const Json& run, const char* name, const std::string& text, const std::filesystem::path& file) {
  if (const auto found = run.find(name); found == run.end() || *found != checksum_of(text)) {
    throw damaged(file, "does not belong to the run.json beside it");
  }
}

std::string read_lines(const std::filesystem::path& file, const Json& run) {
  std::string text;
  try {
    text = gunzip(read_file(file));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw damaged(file, error.what());
  }
  require_checksum(run, "jsonl_crc32", text, file);
  return text;
}

Provenance provenance_of_rows(const std::filesystem::path& folder, const std::vector<CellRecord>& cells) {
  Provenance provenance;
  provenance.table = folder.filename().string();
  const bool measured =
      std::any_of(cells.begin(), cells.end(), [](const CellRecord& cell) { return cell.cycles || cell.bracket; });
  provenance.kind = measured ? "measured" : "static";
  return provenance;
}

Provenance provenance_in(const Json& run, const std::filesystem::path& file) {
  try {
    Provenance provenance = provenance_from_json(run);
    if (provenance.kind != "measured" && provenance.kind != "static") {
      throw std::invalid_argument(fmt::format("kind \"{}\" is neither measured nor static", provenance.kind));
    }
    return provenance;
  } catch (const std::exception& error) {
    throw damaged(file, error.what());
  }
}

}  // namespace

Error damaged(const std::filesystem::path& file, const std::string& what) {
  return Error(ExitCode::storage, fmt::format("{}: {}", file.string(), what), "Export the table again from its store.");
}

std::string checksum_of(std::string_view text) {
  return fmt::format("{:08x}", crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

namespace {

// A share of a table's cells, which one thread turns into text.
constexpr std::size_t cells_per_share = 256;

std::size_t shares_of(const std::vector<CellRecord>& cells) {
  return (cells.size() + cells_per_share - 1) / cells_per_share;
}
std::span<const CellRecord> share_of(const std::vector<CellRecord>& cells, std::size_t share) {
  const auto begin = share * cells_per_share;
  return std::span(cells).subspan(begin, std::min(cells_per_share, cells.size() - begin));
}

// The code of all windows, each once, with a number. In its own order like stands beside like, which makes the file a
// third smaller: gzip looks back 32 KiB and no further.
std::map<std::string, int> window_codes(const std::vector<CellRecord>& cells) {
  std::vector<std::set<std::string>> of_share(shares_of(cells));
  in_parallel(of_share.size(), [&](std::size_t share) {
    for (const CellRecord& cell : share_of(cells, share)) {
      for (const WindowRecord& window : cell.windows) {
        if (!window.sass.empty()) of_share[share].insert(to_line(Json(sass_lines(window.sass))));
      }
    }
  });
  std::map<std::string, int> codes;
  for (auto& codes_of_share : of_share) {
    while (!codes_of_share.empty()) codes.emplace(std::move(codes_of_share.extract(codes_of_share.begin()).value()), 0);
  }
  int number = 0;
  for (auto& [code, its_number] : codes) its_number = number++;
  return codes;
}

std::string line_of(const CellRecord& cell, const std::map<std::string, int>& codes) {
  Json record = to_json(cell);
  if (const auto windows = record.find("windows"); windows != record.end()) {
    for (Json& window : *windows) {
      if (const auto sass = window.find("sass"); sass != window.end()) *sass = codes.at(to_line(*sass));
    }
  }
  return to_line(record) + '\n';
}

}  // namespace

// Lines {"window": N, "sass": [...]}, because many cells share a window's code (overheads, bases, levels that give the
// same code), then a line a cell, whose windows say "sass": N.
std::string jsonl_of(const std::vector<CellRecord>& cells) {
  const auto codes = window_codes(cells);
  std::vector<std::string> of_share(shares_of(cells));
  in_parallel(of_share.size(), [&](std::size_t share) {
    for (const CellRecord& cell : share_of(cells, share)) of_share[share] += line_of(cell, codes);
  });
  std::string lines;
  for (const auto& [code, number] : codes) lines += fmt::format("{{\"window\":{},\"sass\":{}}}\n", number, code);
  for (const auto& share : of_share) lines += share;
  return lines;
}

bool has_table(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / run_name, ignored) || std::filesystem::exists(folder / csv_name, ignored);
}

bool is_in_csv(const std::filesystem::path& folder) {
  if (!has_table(folder)) {
    throw Error(ExitCode::unknown_name, fmt::format("{} is not a table", folder.string()),
                fmt::format("Name a folder that has a {} or a {}.", run_name, csv_name));
  }
  std::error_code ignored;
  return !std::filesystem::exists(folder / run_name, ignored) || !read_run(folder / run_name).contains("jsonl_crc32");
}

TableFiles read_table_files(const std::filesystem::path& folder) {
  const Json run = read_run(folder / run_name);
  // Tables of before it was recorded have no checksum of it, and who copies rows and provenance alone has no csv.
  std::error_code ignored;
  if (run.contains("csv_crc32") && std::filesystem::exists(folder / csv_name, ignored)) {
    require_checksum(run, "csv_crc32", read_file(folder / csv_name), folder / csv_name);
  }
  return {provenance_in(run, folder / run_name), read_lines(folder / jsonl_name, run)};
}

CsvTable read_csv_table(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / csv_name;
  const std::string text = read_file(file);
  CsvTable table;
  std::istringstream lines(text);
  table.cells = read_csv(lines, file.string());
  std::error_code ignored;
  if (!std::filesystem::exists(folder / run_name, ignored)) {
    table.provenance = provenance_of_rows(folder, table.cells);
    return table;
  }
  const Json run = read_run(folder / run_name);
  require_checksum(run, "csv_crc32", text, file);
  table.provenance = provenance_in(run, folder / run_name);
  return table;
}

}  // namespace ptxlat
