// SPDX-License-Identifier: Apache-2.0
#include "tables/record_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "results/json.h"
#include "tables/compression.h"

namespace ptxlat::tables {

namespace {

constexpr const char* suffix = ".jsonl.zst";

std::filesystem::path file_of_lines(const std::filesystem::path& folder, std::string_view name) {
  return folder / fmt::format("{}{}", name, suffix);
}

Error damaged_records(const std::filesystem::path& file, const std::string& what) {
  return Error(ExitCode::storage, fmt::format("{}: {}", file.string(), what),
               "Make them again, or export them again from their store.");
}

}  // namespace

NamedContent lines_file(std::string_view name, const std::vector<results::Record>& records) {
  std::vector<std::string> lines(records.size());
  in_parallel(records.size(), [&](std::size_t i) { lines[i] = results::to_line(results::to_json(records[i])) + '\n'; });
  std::string text;
  for (const auto& line : lines) text += line;
  return {fmt::format("{}{}", name, suffix), zstd(text)};
}

std::vector<results::Run> runs_of(const std::vector<results::Record>& records, std::vector<results::Run> runs) {
  std::erase_if(runs, [&](const results::Run& run) {
    return std::none_of(records.begin(), records.end(), [&](const auto& record) { return record.run == run.id; });
  });
  return runs;
}

std::string provenance_of(const std::vector<results::Record>& records, const std::vector<results::Run>& runs) {
  results::Json provenance;
  results::Json& named = provenance["runs"] = results::Json::array();
  for (const results::Run& run : runs_of(records, runs)) named.push_back(results::to_json(run));
  return provenance.dump(2, ' ', false, results::Json::error_handler_t::replace) + '\n';
}

bool has_record_lines(const std::filesystem::path& folder, std::string_view name) {
  std::error_code ignored;
  return std::filesystem::exists(file_of_lines(folder, name), ignored);
}

std::vector<results::Record> read_record_lines(const std::filesystem::path& folder, std::string_view name) {
  std::vector<results::Record> records;
  if (!has_record_lines(folder, name)) return records;
  const auto file = file_of_lines(folder, name);
  try {
    std::istringstream text(unzstd(read_file(file)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
      if (lines.size() == most_rows) throw std::length_error(fmt::format("it has more than {} records", most_rows));
      lines.push_back(std::move(line));
    }
    records.resize(lines.size());
    in_parallel(lines.size(), [&](std::size_t i) { records[i] = results::record_from_text(lines[i]); });
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw damaged_records(file, error.what());
  }
  return records;
}

std::vector<results::Run> read_provenance(const std::filesystem::path& file) {
  std::vector<results::Run> runs;
  if (!std::filesystem::exists(file)) return runs;
  const std::string text = read_file(file);
  try {
    const auto json = results::parse_json(text);
    for (const results::Json& run : json.at("runs")) runs.push_back(results::run_from_json(run));
  } catch (const std::exception& error) {
    throw damaged_records(file, error.what());
  }
  return runs;
}

}  // namespace ptxlat::tables
