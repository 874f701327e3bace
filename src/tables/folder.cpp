// SPDX-License-Identifier: Apache-2.0
#include "tables/folder.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "results/json.h"
#include "tables/compression.h"
#include "tables/latency_columns.h"
#include "tables/operands.h"
#include "tables/record_lines.h"
#include "tables/table_lines.h"

namespace ptxlat::tables {

namespace {

// What `read` returns. What a library says of the file's content becomes an Error{storage} about the file, with `what`
// before it; what is already an Error is left as it is.
template <class Read>
auto read_undamaged(const std::filesystem::path& file, const std::string& what, Read read) {
  try {
    return read();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw damaged(file, what + error.what());
  }
}

results::Json read_run(const std::filesystem::path& file) {
  return read_undamaged(file, "", [&] {
    auto run = results::parse_json(read_file(file));
    if (!run.is_object()) throw damaged(file, "not a JSON object");
    const int format = results::integer_of<int>(run.at("format"));
    if (format != results::table_format) {
      throw Error(
          ExitCode::storage,
          fmt::format("{}: format {}, this ptxlat reads format {}", file.string(), format, results::table_format),
          "Use the ptxlat that wrote it, or export the table again.");
    }
    return run;
  });
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
  const auto text = read_undamaged(file, fmt::format("it refers to the rows of {}, but not to these: ", name),
                                   [&] { return unzstd(read_file(file), rows); });
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

void read_runs(Table& table, const results::Json& json, const std::filesystem::path& file) {
  try {
    table.run = results::run_from_json(json);
    if (const auto runs = json.find("runs"); runs != json.end()) table.runs = results::runs_from_json(*runs);
    if (table.run.kind != "measured" && table.run.kind != "static") {
      throw std::invalid_argument(fmt::format("kind \"{}\" is neither measured nor static", table.run.kind));
    }
  } catch (const std::exception& error) {
    throw damaged(file, error.what());
  }
}

bool has_rows(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / run_name, ignored) || !csv_in(folder).empty();
}

// A table without rows has the run of its newest experiment.
void read_run_of_experiments(Table& table) {
  table.run.table = table.folder.filename().string();
  table.run.kind = "measured";
  for (const char* name : {opcode_runs_name, probe_runs_name}) {
    if (auto runs = read_provenance(table.folder / name); !runs.empty()) table.run = std::move(runs.back());
  }
}

void require_distinct(const std::vector<Cell>& cells, const std::filesystem::path& file) {
  std::unordered_map<RowKey, const Cell*, RowKeyHash> known;
  known.reserve(cells.size());
  for (const Cell& cell : cells) {
    RowKey key = row_key(cell.record);
    for (const std::string_view operand : operands_of(cell.record.operand)) {
      key.operand = operand;
      if (known.emplace(key, &cell).first->second == &cell) continue;
      throw damaged(file, fmt::format("{} (operand \"{}\", input \"{}\") at O{} appears twice", key.ptx, operand,
                                      key.input, key.level));
    }
  }
}

// Rows, spellings and runs, checked to belong together.
void read_latency_files(Table& table) {
  const auto& folder = table.folder;
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
  // A copy of only rows and run has no csv.
  if (!csv.empty() || is_in_csv) {
    const auto file = csv.empty() ? folder / csv_name : csv;
    std::string text = file.extension() == ".gz" ? unpacked(file, gunzip) : read_file(file);
    if (has_run && (is_in_csv || run.contains("csv_crc32"))) require_checksum(run, "csv_crc32", text, file);
    if (is_in_csv) {
      std::istringstream in(std::move(text));
      table.rows = read_rows(in, file.string(), latency_columns());
    }
  }
  table.spellings = read_spellings(folder, run);
  if (!is_in_csv) {
    const auto text = std::make_shared<const std::string>(read_lines(folder, run));
    table.lines = lines_of_owner(text, *text);
    std::tie(table.rows, table.code) = rows_in(*table.lines, folder);
  }
  if (has_run) {
    read_runs(table, run, folder / run_name);
  } else {
    table.run = run_of_rows(folder, table.rows);
  }
}

void read_facts(Table& table, const std::vector<results::Record>& probes, const std::vector<results::Run>& runs) {
  if (probes.empty()) table.facts = read_rows(table.folder / facts_name, fact_columns());  // wheels leave them out
  for (const auto& record : probes) {
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& one) { return one.id == record.run; });
    const std::string card = run != runs.end() && run->device ? run->device->uuid : "";
    for (const auto& fact : record.facts) table.facts.push_back({record.ptx, fact, card});
  }
}

void read_opcode_records(Table& table) {
  auto& files = table.opcode_records;
  for (auto& record : read_record_lines(table.folder, opcode_records_name)) {
    auto& of_kind = record.kind == results::RecordKind::throughput   ? files.throughput
                    : record.kind == results::RecordKind::contention ? files.contention
                    : record.kind == results::RecordKind::counters   ? files.counters
                    : record.kind == results::RecordKind::in_flight  ? files.in_flight
                                                                     : files.operand_costs;
    of_kind.push_back(std::move(record));
  }
  files.runs = read_provenance(table.folder / opcode_runs_name);
  files.spellings = read_rows(table.folder / throughput_forms_name, spelling_columns());
}

}  // namespace

std::string unpacked(const std::filesystem::path& file, const std::function<std::string(const std::string&)>& unpack) {
  return read_undamaged(file, "", [&] { return unpack(read_file(file)); });
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

bool has_probes(const std::filesystem::path& folder) { return has_record_lines(folder, probe_records_name); }

Table read_table(const std::filesystem::path& folder, std::initializer_list<Part> parts) {
  const auto is_wanted = [&](Part part) { return std::find(parts.begin(), parts.end(), part) != parts.end(); };
  Table table;
  table.folder = folder;
  const bool has_wanted_rows = is_wanted(Part::rows) || is_wanted(Part::cells);
  if (!has_wanted_rows && !is_wanted(Part::run)) {
    // Nothing of the latency table.
  } else if (has_only_experiments(folder)) {
    read_run_of_experiments(table);
  } else if (has_wanted_rows) {
    read_latency_files(table);
  } else {
    read_runs(table, read_run(folder / run_name), folder / run_name);
  }
  if (is_wanted(Part::cells)) {
    table.cells = cells_of(std::exchange(table.rows, {}), table.spellings);
    require_distinct(table.cells, folder / (table.lines ? jsonl_name : csv_name));
  }
  if (is_wanted(Part::probes) || is_wanted(Part::facts)) {
    auto probes = read_record_lines(folder, probe_records_name);
    auto runs = read_provenance(folder / probe_runs_name);
    if (is_wanted(Part::facts)) read_facts(table, probes, runs);
    if (is_wanted(Part::probes))
      std::tie(table.probes, table.probe_runs) = std::pair(std::move(probes), std::move(runs));
  }
  if (is_wanted(Part::opcodes)) table.opcodes.opcodes = read_rows(folder / opcodes_name, opcode_columns());
  if (is_wanted(Part::throughputs)) {
    table.opcodes.forms = read_rows(folder / throughput_name, form_throughput_columns());
    table.opcodes.spellings = read_rows(folder / throughput_forms_name, spelling_columns());
  }
  if (is_wanted(Part::contention)) table.opcodes.contention = read_rows(folder / contention_name, contention_columns());
  if (is_wanted(Part::opcode_records)) read_opcode_records(table);
  if (is_wanted(Part::pairs)) table.pairs.pairs = read_rows(folder / pairs_name, pair_columns());
  if (is_wanted(Part::arrivals)) table.pairs.arrivals = read_rows(folder / arrivals_name, arrival_columns());
  if (is_wanted(Part::hazards)) table.pairs.hazards = read_record_lines(folder, pair_records_name);
  if (is_wanted(Part::pairs) || is_wanted(Part::hazards)) table.pairs.runs = read_provenance(folder / pair_runs_name);
  return table;
}

Table read_latencies(const std::filesystem::path& folder) {
  return has_table(folder) && !has_only_experiments(folder) ? read_table(folder) : Table();
}

}  // namespace ptxlat::tables
