// SPDX-License-Identifier: Apache-2.0
#include "run/facts.h"

#include <algorithm>
#include <map>

#include "pairs/pair_rows.h"
#include "pairs/register_cases.h"
#include "tables/probe_files.h"

namespace ptxlat::run {

namespace {

using results::Record;
using results::Run;

// The folder's records of experiments that the store does not have. Runs of different stores may have the same
// numbers: these get numbers above all others.
void add_others(std::vector<Record>& records, std::vector<Run>& runs, const std::filesystem::path& folder) {
  auto others = tables::read_probe_files(folder);
  std::erase_if(others, [&](const Record& other) {
    return std::any_of(records.begin(), records.end(), [&](const Record& record) { return record.ptx == other.ptx; });
  });
  if (others.empty()) return;
  int highest = 0;
  for (const auto& run : runs) highest = std::max(highest, run.id);
  std::map<int, int> numbers;
  for (auto run : tables::read_probe_runs(folder)) {
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

}  // namespace ptxlat::run
