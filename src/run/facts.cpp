// SPDX-License-Identifier: Apache-2.0
#include "run/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_set>

#include "pairs/pair_rows.h"
#include "pairs/register_cases.h"
#include "tables/folder.h"
#include "tables/operands.h"

namespace ptxlat::run {

namespace {

using results::Record;
using results::Run;

// The folder's records of experiments that the store does not have. Runs of different stores may have the same
// numbers: these get numbers above all others.
void add_others(std::vector<Record>& records, std::vector<Run>& runs, const std::filesystem::path& folder) {
  auto table = tables::read_table(folder, {tables::Part::probes});
  auto& others = table.probes;
  std::erase_if(others, [&](const Record& other) {
    return std::any_of(records.begin(), records.end(), [&](const Record& record) { return record.ptx == other.ptx; });
  });
  if (others.empty()) return;
  int highest = 0;
  for (const auto& run : runs) highest = std::max(highest, run.id);
  std::map<int, int> numbers;
  for (auto& run : table.probe_runs) {
    numbers[run.id] = ++highest;
    run.id = highest;
    runs.push_back(std::move(run));
  }
  for (auto& other : others) {
    other.run = numbers[other.run];  // 0 if the run is not there
    records.push_back(std::move(other));
  }
}

}  // namespace

void write_facts(const Folder& folder, const results::Store& store, const std::string& table) {
  auto records = store.records(table, results::RecordKind::probe);
  auto runs = store.runs(table);
  add_others(records, runs, folder.path());
  if (!records.empty()) tables::write_probe_files(folder, records, runs);
}

void note_release(Record& registers, const std::vector<results::Pair>& pairs) {
  auto release = pairs::release_of_scoreboards(pairs);
  std::erase_if(registers.facts, [&](const auto& fact) { return fact.quantity == release.quantity; });
  registers.facts.push_back(std::move(release));
}

void save_release(results::Store& store, const std::string& table, int level, const std::vector<results::Pair>& pairs) {
  auto records = store.records(table, results::RecordKind::probe);
  std::erase_if(records,
                [&](const Record& record) { return record.ptx != pairs::registers_name || record.level != level; });
  for (auto& record : records) note_release(record, pairs);
  store.save_records(table, records);
}

namespace {

using results::CellKey;

CellKey cell(const std::string& ptx, const std::string& operand, int level) {
  CellKey key;
  key.ptx = ptx;
  key.operand = operand;
  key.level = level;
  return key;
}

// Without inputs and recipes: one measurement can be two rows with inputs of their own (tables/operands.h), and rows
// name no recipe.
std::string name_of(const CellKey& key) { return cell(key.ptx, key.operand, key.level).text(); }

// Cells by form, operand and level, and forms by level.
std::unordered_set<std::string> names_of(const std::vector<CellKey>& keys) {
  std::unordered_set<std::string> names;
  for (const auto& key : keys) {
    names.insert(name_of(key));
    names.insert(name_of(cell(key.ptx, "", key.level)));
  }
  return names;
}

// A run that went on after its table was written is a different one.
auto identity_of(const results::Run& run) {
  return std::tuple(run.started_utc, run.finished_utc, run.command_line, run.device ? run.device->uuid : "");
}

bool has_all(const std::vector<results::Run>& known, const std::vector<results::Run>& runs) {
  const auto is_known = [&](const results::Run& run) {
    return std::any_of(known.begin(), known.end(),
                       [&](const results::Run& other) { return identity_of(other) == identity_of(run); });
  };
  return !runs.empty() && std::all_of(runs.begin(), runs.end(), is_known);
}

constexpr const char* ways_out = "Name another folder with --tables, or replace what is there with --replace.";

//   what   "cells"
//   read   the cells of the files in the folder
//   known  those that will be written
std::optional<Error> loss(const std::filesystem::path& folder, const char* what,
                          const std::function<std::vector<CellKey>()>& read,
                          const std::function<std::vector<CellKey>()>& known) {
  std::vector<CellKey> held;
  try {
    held = read();
  } catch (const Error& error) {
    return Error(ExitCode::storage, fmt::format("it is not known what would be lost: {}", error.what()), ways_out);
  }
  const auto names = names_of(known());
  const auto is_lost = [&](const CellKey& key) { return !names.contains(name_of(key)); };
  const auto lost = std::count_if(held.begin(), held.end(), is_lost);
  if (lost == 0) return std::nullopt;
  const auto& first = *std::find_if(held.begin(), held.end(), is_lost);
  return Error(ExitCode::storage,
               fmt::format("{} has {} {}, and would lose {}, such as {} at O{}", folder.string(), held.size(), what,
                           lost, first.ptx, first.level),
               ways_out);
}

std::vector<CellKey> cells_of(const tables::Table& table) {
  std::vector<CellKey> keys;
  for (const auto& row : table.cells) {
    for (const auto operand : tables::operands_of(row.record.operand))
      keys.push_back(cell(row.record.ptx, std::string(operand), row.record.level));
  }
  return keys;
}

std::vector<CellKey> forms_of(const std::vector<tables::Spelling>& spellings) {
  std::vector<CellKey> keys;
  for (const auto& spelling : spellings) keys.push_back(cell(spelling.ptx, "", spelling.level));
  return keys;
}

std::vector<CellKey> forms_of(const std::vector<results::Record>& records) {
  std::vector<CellKey> keys;
  for (const auto& record : records) keys.push_back(cell(record.ptx, "", record.level));
  return keys;
}

}  // namespace

std::optional<Error> loss_of_latencies(const std::filesystem::path& folder, const results::Store& store,
                                       const std::string& table, const std::vector<CellKey>& planned) {
  if (!tables::has_table(folder) || tables::has_only_experiments(folder)) return std::nullopt;
  std::vector<results::Run> runs;
  try {
    const auto written = tables::read_table(folder, {tables::Part::run});
    runs = written.runs.empty() ? std::vector{written.run} : written.runs;
  } catch (const Error&) {
    runs.clear();  // a run.json that is missing or damaged: the cells decide
  }
  if (has_all(store.runs(table), runs)) return std::nullopt;
  return loss(
      folder, "cells", [&] { return cells_of(tables::read_table(folder)); },
      [&] {
        auto keys = store.keys(table);
        keys.insert(keys.end(), planned.begin(), planned.end());
        return keys;
      });
}

std::optional<Error> loss_of_opcodes(const std::filesystem::path& folder, const tables::OpcodeFiles& written) {
  return loss(
      folder, "forms in its opcodes",
      [&] { return forms_of(tables::read_table(folder, {tables::Part::throughputs}).opcodes.spellings); },
      [&] { return forms_of(written.spellings); });
}

std::optional<Error> loss_of_pairs(const std::filesystem::path& folder, const tables::PairFiles& written) {
  return loss(
      folder, "hazards", [&] { return forms_of(tables::read_table(folder, {tables::Part::hazards}).pairs.hazards); },
      [&] { return forms_of(written.hazards); });
}

}  // namespace ptxlat::run
