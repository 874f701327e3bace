// SPDX-License-Identifier: Apache-2.0
#include "tables/table_files.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "base/file.h"
#include "results/json.h"
#include "tables/compression.h"
#include "tables/latency_columns.h"
#include "tables/opcode_files.h"
#include "tables/probe_files.h"
#include "tables/table.h"

namespace ptxlat::tables {

namespace {

results::Json read_run(const std::filesystem::path& file) {
  results::Json run;
  try {
    run = results::parse_json(read_file(file));
    if (!run.is_object()) throw damaged(file, "not a JSON object");
    const int format = results::integer_of<int>(run.at("format"));
    if (format != results::table_format) {
      throw Error(
          ExitCode::storage,
          fmt::format("{}: format {}, this ptxlat reads format {}", file.string(), format, results::table_format),
          "Use the ptxlat that wrote it, or export the table again.");
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw damaged(file, error.what());
  }
  return run;
}

// While a table is being replaced, a reader may see files that do not belong together, between two renames.
void require_checksum(const results::Json& run, const char* name, const std::string& text,
                      const std::filesystem::path& file) {
  if (const auto found = run.find(name); found == run.end() || *found != checksum_of(text)) {
    throw damaged(file, "does not belong to the run.json next to it");
  }
}

// The rows in full, if they refer to no others.
std::string read_own_lines(const std::filesystem::path& folder, const results::Json& run) {
  const auto file = folder / jsonl_name;
  std::string text = unpacked(file, [](const std::string& bytes) { return unzstd(bytes); });
  require_checksum(run, "jsonl_crc32", text, file);
  return text;
}

// Whether it is a folder next to that of the table: the table may come from a stranger.
bool is_name_of_folder(const std::string& name) { return name.find('/') == std::string::npos && is_name_beneath(name); }

// The rows in full. Versions of an assembler share most of their rows, so a table may refer to a sibling's; the
// sibling's refer to no others.
std::string read_lines(const std::filesystem::path& folder, const results::Json& run) {
  const auto base = run.find(base_field);
  if (base == run.end()) return read_own_lines(folder, run);
  const std::string name = base->is_string() ? base->get<std::string>() : "";
  if (!is_name_of_folder(name))
    throw damaged(folder / run_name, fmt::format("{} is not the name of a folder next to it", base_field));
  const auto sibling = folder / ".." / name, file = folder / jsonl_name;
  std::error_code ignored;
  if (!std::filesystem::exists(sibling / run_name, ignored)) {
    throw Error(ExitCode::storage,
                fmt::format("{}: it refers to the rows of {}, which is missing", file.string(), name),
                fmt::format("Copy the table {} into the same folder.", name));
  }
  const auto run_of_sibling = read_run(sibling / run_name);
  if (run_of_sibling.contains(base_field))
    throw damaged(file, fmt::format("it refers to the rows of {}, whose rows refer to others", name));
  const std::string rows = read_own_lines(sibling, run_of_sibling);
  std::string text;
  try {
    text = unzstd(read_file(file), rows);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw damaged(file, fmt::format("it refers to the rows of {}, but not to these: {}", name, error.what()));
  }
  require_checksum(run, "jsonl_crc32", text, file);
  return text;
}

//   run  empty without a run.json: then the file is read if it is there
std::vector<Spelling> read_spellings(const std::filesystem::path& folder, const results::Json& run) {
  const auto file = folder / forms_name;
  std::error_code ignored;
  const bool is_there = run.empty() ? std::filesystem::exists(file, ignored) : run.contains("forms_crc32");
  if (!is_there) return {};
  std::string text = unpacked(file, gunzip);
  if (!run.empty()) require_checksum(run, "forms_crc32", text, file);
  std::istringstream in(std::move(text));
  return read_rows(in, file.string(), spelling_columns());
}

// Empty if there is none.
std::filesystem::path csv_in(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* name : {csv_name, packed_csv_name}) {
    if (std::filesystem::exists(folder / name, ignored)) return folder / name;
  }
  return {};
}

results::Run run_of_rows(const std::filesystem::path& folder, const std::vector<Cell>& rows) {
  results::Run run;
  run.table = folder.filename().string();
  const bool measured = std::any_of(rows.begin(), rows.end(), [](const Cell& row) {
    return row.record.find(results::metric::cycles) || row.record.find(results::metric::bracket);
  });
  run.kind = measured ? "measured" : "static";
  return run;
}

void read_runs(TableFiles& files, const results::Json& json, const std::filesystem::path& file) {
  try {
    files.run = results::run_from_json(json);
    if (const auto runs = json.find("runs"); runs != json.end()) files.runs = results::runs_from_json(*runs);
    if (files.run.kind != "measured" && files.run.kind != "static") {
      throw std::invalid_argument(fmt::format("kind \"{}\" is neither measured nor static", files.run.kind));
    }
  } catch (const std::exception& error) {
    throw damaged(file, error.what());
  }
}

bool has_rows(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / run_name, ignored) || !csv_in(folder).empty();
}

}  // namespace

std::string unpacked(const std::filesystem::path& file, const std::function<std::string(const std::string&)>& unpack) {
  try {
    return unpack(read_file(file));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw damaged(file, error.what());
  }
}

Error damaged(const std::filesystem::path& file, const std::string& what) {
  return Error(ExitCode::storage, fmt::format("{}: {}", file.string(), what), "Export the table again from its store.");
}

std::string checksum_of(std::string_view text) {
  return fmt::format("{:08x}", crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

bool has_only_experiments(const std::filesystem::path& folder) {
  std::error_code ignored;
  return !has_rows(folder) && (std::filesystem::exists(folder / probe_runs_name, ignored) ||
                               std::filesystem::exists(folder / opcode_runs_name, ignored));
}

bool has_table(const std::filesystem::path& folder) { return has_rows(folder) || has_only_experiments(folder); }

std::vector<results::Run> runs_of_table(const std::filesystem::path& folder) {
  TableFiles files;
  read_runs(files, read_run(folder / run_name), folder / run_name);
  return files.runs.empty() ? std::vector{files.run} : files.runs;
}

results::Run run_of_table(const std::filesystem::path& folder) {
  TableFiles files;
  read_runs(files, read_run(folder / run_name), folder / run_name);
  return std::move(files.run);
}

TableFiles read_table_files(const std::filesystem::path& folder) {
  if (!has_rows(folder)) {
    throw Error(ExitCode::unknown_name, fmt::format("{} is not a table", folder.string()),
                fmt::format("Name a folder that has a {} or a {}.", run_name, csv_name));
  }
  std::error_code ignored;
  const bool has_run = std::filesystem::exists(folder / run_name, ignored);
  const auto csv = csv_in(folder);
  const results::Json run = has_run ? read_run(folder / run_name) : results::Json::object();
  // Packages leave the lines out, which are most of a table.
  const bool has_lines = std::filesystem::exists(folder / jsonl_name, ignored);
  const bool is_in_csv = !run.contains("jsonl_crc32") || (!has_lines && !csv.empty());
  TableFiles files;
  // A copy of only rows and run has no csv.
  if (!csv.empty() || is_in_csv) {
    const auto file = csv.empty() ? folder / csv_name : csv;
    std::string text = file.extension() == ".gz" ? unpacked(file, gunzip) : read_file(file);
    if (has_run && (is_in_csv || run.contains("csv_crc32"))) require_checksum(run, "csv_crc32", text, file);
    if (is_in_csv) {
      std::istringstream in(std::move(text));
      files.rows = read_rows(in, file.string(), latency_columns());
    }
  }
  files.spellings = read_spellings(folder, run);
  if (!is_in_csv) files.lines = read_lines(folder, run);
  if (has_run) {
    read_runs(files, run, folder / run_name);
  } else {
    files.run = run_of_rows(folder, files.rows);
  }
  return files;
}

}  // namespace ptxlat::tables
