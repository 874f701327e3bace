// SPDX-License-Identifier: Apache-2.0
#include "run/opcode_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "loops/loop.h"
#include "opcodes/opcode_rows.h"
#include "opcodes/operand_cost.h"
#include "opcodes/throughput.h"
#include "pairs/pair_rows.h"
#include "tables/find_tables.h"
#include "tables/folder.h"
#include "tables/published.h"
#include "tables/record_lines.h"

namespace ptxlat::run {

namespace {

std::vector<tables::PublishedThroughput> documented() {
  const auto folder = data_folder("site", [](const std::filesystem::path& one) {
    return std::filesystem::exists(one / tables::published_throughput_name);
  });
  return folder.empty() ? std::vector<tables::PublishedThroughput>{}
                        : tables::read_published_throughputs(folder / tables::published_throughput_name);
}

}  // namespace

namespace {

constexpr std::string_view assembler = "ptxas-";

// "ptxas-13.0.88" → "13.0"
std::string version_of(const std::string& toolchain) {
  const auto version = toolchain.substr(assembler.size());
  const auto major = version.find('.');
  return version.substr(0, version.find('.', major == std::string::npos ? major : major + 1));
}

// The folders next to `folder` with tables of ptxas, oldest version first.
std::vector<std::filesystem::path> tables_of_versions(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  const auto parent = std::filesystem::absolute(folder).lexically_normal().parent_path();
  if (!std::filesystem::is_directory(parent)) return found;  // the first table of this GPU
  for (const auto& entry : entries_of(parent)) {
    const bool is_version = entry.filename().string().starts_with(assembler);
    if (is_version && tables::has_table(entry)) found.push_back(entry);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return tables::natural_less(a.filename().string(), b.filename().string());
  });
  return found;
}

}  // namespace

OpcodeAppearances find_appearances(const tables::Table& table, const std::filesystem::path& folder) {
  OpcodeAppearances appearances;
  for (const auto& cell : table.cells) {
    for (const auto& opcode : cell.record.sass)
      appearances.levels[opcode].insert(cell.levels.begin(), cell.levels.end());
  }
  for (const auto& other : tables_of_versions(folder)) {
    std::set<std::string> opcodes;
    for (const auto& cell : tables::read_table(other).cells)
      opcodes.insert(cell.record.sass.begin(), cell.record.sass.end());
    for (const auto& opcode : opcodes) appearances.versions[opcode].push_back(version_of(other.filename().string()));
  }
  return appearances;
}

void note_appearances(std::vector<results::Opcode>& rows, const OpcodeAppearances& appearances) {
  for (auto& row : rows) {
    if (const auto found = appearances.levels.find(row.name); found != appearances.levels.end())
      row.levels.assign(found->second.begin(), found->second.end());
    if (const auto found = appearances.versions.find(row.name); found != appearances.versions.end())
      row.versions = found->second;
  }
}

FoundLatencies find_latencies(const std::filesystem::path& folder) {
  FoundLatencies latencies{tables::read_latencies(folder), {}};
  latencies.appearances = find_appearances(latencies.table, folder);
  return latencies;
}

tables::OpcodeFiles write_opcode_table(const Folder& folder, const ptx::LoadedCatalogue& loaded,
                                       const FoundLatencies& latencies, tables::OpcodeFiles files) {
  if (!files.runs.empty())
    tables::note_published(files.throughput, files.runs.back().target, documented(), files.spellings);
  const auto opcodes = opcodes::opcodes_measured(loaded, files.throughput);
  std::vector<results::Record> latency;
  for (const auto& cell : latencies.table.cells) latency.push_back(cell.record);
  files.opcodes = opcodes::opcode_rows(
      opcodes, {files.throughput, files.contention, files.counters, files.operand_costs, files.in_flight, latency},
      tables::spelling_counts(files.spellings));
  auto of_pairs = tables::read_table(folder.path(), {tables::Part::pairs, tables::Part::hazards}).pairs;
  pairs::mark_patched(of_pairs.pairs, of_pairs.hazards);
  opcodes::add_pairs(files.opcodes, of_pairs.pairs);
  note_appearances(files.opcodes, latencies.appearances);
  tables::write_opcode_files(folder, files);
  return files;
}

tables::OpcodeFiles reread_opcodes(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded) {
  auto files = tables::read_table(folder, {tables::Part::opcode_records}).opcode_records;
  if (files.throughput.empty())
    throw Error(ExitCode::storage, fmt::format("there are no opcodes in {}", folder.string()),
                fmt::format("Name the folder that has {}.jsonl.zst.", tables::opcode_records_name));
  require_rules(folder, tables::runs_of(files.throughput, files.runs), opcodes::readable_versions);
  for (auto& record : files.throughput) loops::read_again(record);
  for (auto& record : files.operand_costs) opcodes::read_cost_again(record);
  return write_opcode_table(folder, loaded, find_latencies(folder), std::move(files));
}

std::optional<tables::OpcodeFiles> stored_opcodes(const results::Store& store, const std::string& table) {
  using results::RecordKind;
  auto throughput = store.records(table, RecordKind::throughput);
  if (throughput.empty()) return std::nullopt;
  const int level = highest_level(throughput);
  auto shared = tables::share_throughputs(at_level(std::move(throughput), level));
  const auto stored = [&](RecordKind kind) { return at_level(store.records(table, kind), level); };
  return tables::OpcodeFiles{.opcodes = {},
                             .throughput = std::move(shared.records),
                             .contention = stored(RecordKind::contention),
                             .counters = stored(RecordKind::counters),
                             .operand_costs = stored(RecordKind::operand_cost),
                             .in_flight = stored(RecordKind::in_flight),
                             .runs = store.runs(table),
                             .spellings = std::move(shared.spellings)};
}

void require_rules(const std::filesystem::path& table, const std::vector<results::Run>& runs,
                   std::span<const std::string_view> rules) {
  for (const auto& run : runs) {
    if (std::find(rules.begin(), rules.end(), run.rules) != rules.end()) continue;
    throw Error(ExitCode::storage,
                fmt::format("{} was measured by {}, and this ptxlat reads {}", table.string(),
                            run.rules.empty() ? "rules that it does not name" : run.rules, rules.back()),
                fmt::format("measure it again, or read it with ptxlat {} ({}), which measured it", run.tool_version,
                            run.git_commit));
  }
}

int highest_level(const std::vector<results::Record>& records) {
  const auto by_level = [](const auto& x, const auto& y) { return x.level < y.level; };
  return std::max_element(records.begin(), records.end(), by_level)->level;
}

std::vector<results::Record> at_level(std::vector<results::Record> records, int level) {
  std::erase_if(records, [&](const results::Record& record) { return record.level != level; });
  return records;
}

}  // namespace ptxlat::run
